// Heartbeats from a thread of their own; see thread.ts.

import { Worker as Thread } from "node:worker_threads";
import { elapsedMs } from "../system.ts";
import type { FromThread, Headers, Lease, Ping, ThreadData, ToThread } from "./words.ts";

export interface Heart {
  /** From now on this worker beats; it replaces the one before. */
  start(worker: string, jobs: readonly string[], headers: Headers, everyMs?: number): void;
  renew(headers: Headers): void;
  /** Leases that are prolonged from now on, or no longer. */
  hold(leases: readonly Lease[]): void;
  drop(tasks: readonly string[]): void;
  /** Returns when no beat is under way; may be called twice. */
  stop(): Promise<void>;
}

export interface HeartOptions {
  readonly url: string;
  readonly everyMs: number;
  readonly socket: boolean;
  /** "rest" where absent. */
  readonly ping?: Ping;
  /** The program beats by itself, and the thread in its place for as long as it cannot. */
  readonly onlyWhenBlocked?: boolean;
  onWord(word: FromThread): void;
  /** The thread ended by itself: nobody beats any more. */
  onDeath(error: unknown): void;
}

const tickMs = 250;
const stopMsMax = 2_000;
const entry = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js", import.meta.url);

export function heart(options: HeartOptions): Heart {
  const { url, everyMs, socket, ping = "rest", onlyWhenBlocked = false, onWord, onDeath } = options;
  const tick = new SharedArrayBuffer(8);
  const lastTick = new BigInt64Array(tick);
  let thread: Thread | null = null;
  let ended: Promise<void> = Promise.resolve();
  let ticking: NodeJS.Timeout | undefined;

  const mark = (): void => void Atomics.store(lastTick, 0, BigInt(Math.trunc(elapsedMs())));
  const say = (word: ToThread): void => thread?.postMessage(word);

  function awake(): void {
    if (thread !== null) return;
    mark();
    ticking = setInterval(mark, tickMs).unref();
    const workerData: ThreadData = { url, everyMs, ping, tick, tickMs, socket, onlyWhenBlocked };
    const started = new Thread(entry, { workerData, name: "leadhand heartbeat" });
    thread = started;
    // Where the program beats by itself, it also knows by itself when to end.
    if (onlyWhenBlocked) started.unref();
    started.on("message", (word: FromThread) => thread === started && onWord(word));
    ended = new Promise((resolve) => {
      let why: unknown = new Error("The thread of the heartbeat ended by itself");
      started.once("error", (error) => {
        why = error;
      });
      started.once("exit", () => {
        if (thread === started) onDeath(why);
        resolve();
      });
    });
  }

  return {
    start(worker, jobs, headers, asked = everyMs) {
      awake();
      say({ type: "worker", worker, jobs, headers, everyMs: Math.min(everyMs, asked) });
    },
    renew: (headers) => say({ type: "headers", headers }),
    hold: (leases) => say({ type: "hold", leases }),
    drop: (tasks) => say({ type: "drop", tasks }),
    async stop() {
      clearInterval(ticking);
      say({ type: "stop" });
      const stopping = thread;
      thread = null;
      // It ends by itself; a thread that does not is ended.
      const impatience = setTimeout(() => void stopping?.terminate(), stopMsMax);
      await ended;
      clearTimeout(impatience);
    },
  };
}
