// A thread beside the main one, for work that may take long. It is started when it is first asked for something, and
// again if it has died.

import { Worker } from "node:worker_threads";
import { Problem } from "../../core/problem.ts";
import type { Message, Reply, Role, ThreadData } from "./thread.ts";

export interface SideThread {
  ask<T>(request: unknown): Promise<T>;
  /** Returns when everything asked for is answered and the thread has ended. */
  stop(): Promise<void>;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

// The same file as it is in src/ and as it is built.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js", import.meta.url);

export function sideThread(role: Role, file: string): SideThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let last = 0;

  function start(): Worker {
    const workerData: ThreadData = { role, file };
    const started = new Worker(entry, { workerData, name: `leadhand sqlite ${role}` });
    started.on("message", (reply: Reply) => settle(started, reply));
    started.on("error", (error) => giveUp(`The ${role} of ${file} failed`, error));
    started.on("exit", () => {
      if (worker === started) worker = null;
      giveUp(`The ${role} of ${file} ended`);
    });
    return started;
  }

  function settle(from: Worker, reply: Reply): void {
    const { resolve, reject } = waiting.get(reply.number) ?? {};
    waiting.delete(reply.number);
    if (waiting.size === 0) from.unref();
    if ("answer" in reply) resolve?.(reply.answer);
    else reject?.(reply.code === null ? new Error(reply.detail) : new Problem(reply.code, reply.detail));
  }

  function giveUp(detail: string, cause?: unknown): void {
    for (const { reject } of waiting.values()) reject(new Problem("store-unavailable", detail, { cause }));
    waiting.clear();
  }

  return {
    ask<T>(request: unknown): Promise<T> {
      worker ??= start();
      // Only what is waited for keeps the process alive.
      worker.ref();
      last += 1;
      const message: Message = { number: last, request };
      worker.postMessage(message);
      return new Promise((resolve, reject) => {
        waiting.set(message.number, { resolve: (answer) => resolve(answer as T), reject });
      });
    },

    stop(): Promise<void> {
      const ending = worker;
      worker = null;
      if (ending === null) return Promise.resolve();
      return new Promise((resolve) => {
        ending.ref();
        ending.once("exit", () => resolve());
        ending.postMessage(null satisfies Message);
      });
    },
  };
}
