import { type Alarm, lastingAlarm, realAlarm } from "./alarms.ts";
import { WorkerShutdown } from "./worker-shutdown.ts";

/** What a `ShutdownGuard` does when the time is over. */
export interface ShutdownGuardOptions {
  /** 30 seconds where absent. */
  readonly graceMs?: number;
  /** Tried first: whether the task went back into its queue. As everything at the end, it has five seconds. */
  readonly requeue?: (id: string) => boolean | Promise<boolean>;
  /** The task went back; whoever tells of tasks tells of it again. */
  readonly onRequeue?: (id: string) => unknown;
  /** Told what went wrong; the program ends all the same. */
  readonly onError?: (error: unknown) => void;
  /** Ends the program; handed in by tests, as is the alarm. */
  readonly exit?: (code: number) => void;
  readonly alarm?: Alarm;
}

const graceMsDefault = 30_000;
/** Of each thing that is tried at the end: a server that does not answer keeps no program from ending. */
const actMsMax = 5_000;
/** 128 and the number of SIGTERM. */
const exitCode = 143;

/**
 * Sees to it that a program which was asked to end does not leave its task behind: the task has some seconds to finish,
 * then it goes back into its queue, or is failed where that cannot be, and the program ends.
 *
 * @example
 * ```ts
 * import { BaseWorker, OperationRegistry, ShutdownGuard } from "leadhand";
 *
 * const worker = new BaseWorker({ registry: new OperationRegistry(), queue: "protea.jobs" });
 * const guard = new ShutdownGuard((id, why) => worker.forceFail(id, why), {
 *   graceMs: 30_000,
 *   requeue: (id) => worker.requeueOnShutdown(id),
 * });
 * process.on("SIGTERM", () => guard.currentJobId !== null && guard.arm(guard.currentJobId));
 * ```
 */
export class ShutdownGuard {
  readonly #forceFail: (id: string, why: Error) => unknown;
  readonly #options: ShutdownGuardOptions;
  #current: string | null = null;
  #timer: (() => void) | null = null;

  constructor(forceFail: (id: string, why: Error) => unknown, options: ShutdownGuardOptions = {}) {
    this.#forceFail = forceFail;
    this.#options = options;
  }

  /** The task that runs now; null where none does. */
  get currentJobId(): string | null {
    return this.#current;
  }

  /** What takes the armed alarm back; null where none is armed. */
  get timer(): (() => void) | null {
    return this.#timer;
  }

  /** This task runs from now on. */
  track(id: string): void {
    this.#current = id;
  }

  /** Nothing runs any more. */
  untrack(): void {
    this.#current = null;
  }

  /** Gives the task its last seconds. Called again, it changes nothing. */
  arm(id: string): void {
    if (this.#timer !== null) return;
    const { graceMs = graceMsDefault, alarm = realAlarm } = this.#options;
    this.#timer = alarm(graceMs, () => void this.#fire(id));
  }

  /** Takes the alarm back; may be called as often as one likes. */
  cancel(): void {
    this.#timer?.();
    this.#timer = null;
  }

  async #fire(id: string): Promise<void> {
    // It has finished after all, and whoever ran it ends the program.
    if (this.#current !== id) return;
    const { requeue, onRequeue, onError = () => {}, exit = (code) => process.exit(code) } = this.#options;
    const attempt = async <T>(what: string, act: () => T | Promise<T>): Promise<T | undefined> => {
      try {
        return await this.#inTime(what, act);
      } catch (error) {
        onError(error);
        return undefined;
      }
    };
    const isBack = requeue !== undefined && (await attempt("requeue", () => requeue(id))) === true;
    if (isBack) await attempt("onRequeue", () => onRequeue?.(id));
    else await attempt("forceFail", () => this.#forceFail(id, new WorkerShutdown()));
    exit(exitCode);
  }

  /** Rejects where it takes too long; what still comes of it is nobody's business then. */
  async #inTime<T>(what: string, act: () => T | Promise<T>): Promise<T> {
    const { alarm = lastingAlarm } = this.#options;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const silence = alarm(actMsMax, () => reject(new Error(`${what} has not answered within ${actMsMax} ms`)));
    const acting = (async () => act())();
    acting.catch(() => {});
    return Promise.race([acting, late]).finally(silence);
  }
}
