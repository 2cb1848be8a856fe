import { credentials, type TokenSource } from "../credentials.ts";
import { whereabouts } from "../environment.ts";
import { wordsOf } from "../failure.ts";
import { ServerProblem } from "../problem.ts";
import { restApi } from "../rest-api.ts";
import { logOf, type WorkerLog } from "../worker/options.ts";
import { bearer } from "../worker/presence.ts";
import { type Alarm, lastingAlarm } from "./alarms.ts";
import { compareThresholds, OtherThresholds, type ReaperThresholds, type ToldThresholds } from "./reaper-thresholds.ts";

/**
 * What the history calls it when a task went back into its queue because its lease had ended.
 *
 * @example
 * ```ts
 * import { LEASE_REQUEUE_EVENT } from "leadhand";
 *
 * const names = ["job.started", "job.lease_expired_requeue", "job.started"];
 * console.log(names.filter((name) => name === LEASE_REQUEUE_EVENT).length);
 * ```
 */
export const LEASE_REQUEUE_EVENT = "job.lease_expired_requeue";
/**
 * What the history calls it when a task had gone back too often, and was failed.
 *
 * @example
 * ```ts
 * import { LEASE_EXPIRED_FAILED_EVENT } from "leadhand";
 *
 * console.log(["job.started", "job.lease_expired"].includes(LEASE_EXPIRED_FAILED_EVENT));
 * ```
 */
export const LEASE_EXPIRED_FAILED_EVENT = "job.lease_expired";

/** Where the server is, and by what it is to decide. */
export interface StaleJobReaperOptions extends ReaperThresholds {
  /** Of the server; else LEADHAND_URL, else http://127.0.0.1:7070. */
  readonly url?: string;
  /** Of an admin; else LEADHAND_TOKEN. */
  readonly token?: TokenSource;
  /** To the standard error where absent, nowhere with null. */
  readonly log?: WorkerLog | null;
  /** Handed in by tests. */
  readonly alarm?: Alarm;
  /**
   * One pass; a request to the server where absent. Answers how many tasks and workers changed, by what was done. The signal
   * aborts when nobody waits for it any more.
   */
  readonly pass?: (stopped: AbortSignal) => Promise<Readonly<Record<string, number>>>;
}

const intervalMsDefault = 60_000;
const passMsMax = 50_000;
/** Of a token that is unknown, or no admin's. */
const refusals: readonly number[] = [401, 403];

/**
 * Looks again and again for tasks whose leases have ended or that have stalled, and has the server do with them what is
 * due. Servers look by themselves too; this one is for whoever wants a process that does nothing else, and does no harm
 * beside them. A pass that fails is told, and the next one comes.
 *
 * The server decides what is due, so that every pass decides alike, by its settings `LEADHAND_REAPER_TIMEOUT_SECONDS` (21600),
 * `LEADHAND_REAPER_STALL_SECONDS` (1800) and `LEADHAND_MAX_LEASE_REQUEUES` (3). The document's `timeout_seconds`, `stall_seconds` and
 * `max_lease_requeues` are what you rely on: where the server has others, the first pass that it answers ends `run` with
 * an error that names the setting.
 *
 * @example
 * ```ts
 * import { StaleJobReaper } from "leadhand";
 *
 * const reaper = new StaleJobReaper({ url: "http://127.0.0.1:7070", token: "lh_…", timeoutSeconds: 21_600 });
 * process.on("SIGTERM", () => void reaper.stop());
 * await reaper.run({ intervalMs: 60_000 });
 * ```
 */
export class StaleJobReaper {
  readonly #log: WorkerLog;
  readonly #alarm: Alarm;
  readonly #pass: (stopped: AbortSignal) => Promise<Readonly<Record<string, number>>>;
  readonly #stopped = new AbortController();
  #hasPassed = false;
  #wake: () => void = () => {};
  #running: Promise<void> | null = null;

  constructor(options: StaleJobReaperOptions = {}) {
    this.#log = logOf(options.log);
    this.#alarm = options.alarm ?? lastingAlarm;
    this.#pass = options.pass ?? sweeping(options);
  }

  /**
   * The first pass is at once, and then one in each interval. Resolves after `stop`; rejects where the first pass that the
   * server answers is refused because the token is no admin's, for so would be all others, and where the server decides by other thresholds.
   */
  run({ intervalMs = intervalMsDefault }: { readonly intervalMs?: number } = {}): Promise<void> {
    this.#running ??= this.#loop(intervalMs);
    return this.#running;
  }

  /** Resolves when no pass is under way; one that the server does not answer is given up. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wake();
    // What ended it is for whoever called `run`.
    await this.#running?.catch(() => {});
  }

  async #loop(intervalMs: number): Promise<void> {
    while (!this.#isStopped) {
      await this.#once();
      if (this.#isStopped) return;
      await new Promise<void>((resolve) => {
        const silence = this.#alarm(intervalMs, resolve);
        this.#wake = () => {
          silence();
          resolve();
        };
      });
    }
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #once(): Promise<void> {
    try {
      const swept = await this.#pass(this.#stopped.signal);
      this.#hasPassed = true;
      if (Object.keys(swept).length > 0) this.#log.info("reaped", swept);
    } catch (error) {
      if (this.#isStopped) return;
      // What changes later, a token or a setting, is told and ends nobody.
      if (!this.#hasPassed && isFinal(error)) throw error;
      this.#log.error("a pass failed; the next one comes", { why: wordsOf(error) });
    }
  }
}

interface Sweep {
  readonly swept: Readonly<Record<string, number>>;
  readonly thresholds?: ToldThresholds;
}

function isFinal(error: unknown): boolean {
  return error instanceof OtherThresholds || (error instanceof ServerProblem && refusals.includes(error.status));
}

function sweeping({ url, token, ...wanted }: StaleJobReaperOptions): NonNullable<StaleJobReaperOptions["pass"]> {
  const who = credentials(token);
  const api = restApi({ url: url ?? whereabouts().url, getHeaders: async () => bearer(await who.get()) });
  return async (stopped) => {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(passMsMax)]);
    const { body } = await api.request<Sweep>("POST", "/sweep", { signal });
    compareThresholds(wanted, body.thresholds);
    return body.swept;
  };
}
