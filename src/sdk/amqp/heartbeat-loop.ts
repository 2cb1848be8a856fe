import { wordsOf } from "../failure.ts";
import { type Alarm, realAlarm } from "./alarms.ts";

/** How a `HeartbeatLoop` beats. */
export interface HeartbeatLoopOptions {
  /** 30 seconds where absent, and never less than one. */
  readonly intervalMs?: number;
  /** Told what went wrong with one beat; the next comes all the same. */
  readonly onError?: (error: unknown) => void;
  /** Handed in by tests. */
  readonly alarm?: Alarm;
}

const intervalMsDefault = 30_000;
const intervalMsMin = 1_000;

/**
 * Prolongs the lease of a task again and again while it runs, so that the lease says whether its process lives. A beat
 * that fails costs nothing but itself; where all of them fail the lease ends, and the task goes to somebody else.
 *
 * @example
 * ```ts
 * import { BaseWorker, HeartbeatLoop, OperationRegistry } from "leadhand";
 *
 * const worker = new BaseWorker({ registry: new OperationRegistry(), queue: "protea.jobs" });
 * const beats = new HeartbeatLoop((id) => worker.extendLease(id), { intervalMs: 30_000 });
 * beats.start("01993d6c-7a10-7000-8000-3f5b6c1d2e3f");
 * await beats.stop();
 * ```
 */
export class HeartbeatLoop {
  readonly #extendLease: (id: string) => unknown;
  readonly #intervalMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #alarm: Alarm;
  #silence: (() => void) | null = null;
  #beating: Promise<void> | null = null;
  /** Of the task whose lease is prolonged; null while none is. */
  #series: object | null = null;

  constructor(extendLease: (id: string) => unknown, options: HeartbeatLoopOptions = {}) {
    const { intervalMs = intervalMsDefault, onError = () => {}, alarm = realAlarm } = options;
    if (!Number.isFinite(intervalMs)) throw new RangeError(`intervalMs is ${wordsOf(intervalMs)}`);
    this.#extendLease = extendLease;
    this.#intervalMs = Math.max(intervalMsMin, intervalMs);
    this.#onError = onError;
    this.#alarm = alarm;
  }

  /** The first beat comes after one interval. Does nothing where it beats already. */
  start(id: string): void {
    if (this.#series !== null) return;
    this.#series = {};
    this.#next(id, this.#series);
  }

  /** Resolves when no beat is under way, or after one interval and a second. */
  async stop(): Promise<void> {
    this.#series = null;
    this.#silence?.();
    this.#silence = null;
    const beating = this.#beating;
    if (beating === null) return;
    let forget: () => void = () => {};
    const impatience = new Promise<void>((resolve) => {
      forget = this.#alarm(this.#intervalMs + 1_000, resolve);
    });
    await Promise.race([beating, impatience]);
    forget();
  }

  #next(id: string, series: object): void {
    this.#silence = this.#alarm(this.#intervalMs, () => {
      const beating = this.#beat(id).finally(() => {
        if (this.#beating === beating) this.#beating = null;
        // It may end after its task has, when the next one is on.
        if (this.#series === series) this.#next(id, series);
      });
      this.#beating = beating;
    });
  }

  async #beat(id: string): Promise<void> {
    try {
      await this.#extendLease(id);
    } catch (error) {
      this.#onError(error);
    }
  }
}
