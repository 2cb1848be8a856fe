// What servers and executors of internal jobs say to each other over RabbitMQ. A server puts each assignment into the
// queue of its version of the jobs; whichever executor of that version has a place takes it, and asks the server before
// the handler runs. Everything else goes to the queue of the one it is meant for, which is gone when its owner is.

import { createHash } from "node:crypto";
import type { Assignment, Ending, Hold, InternalJob, LogWords, ProgressWords } from "../../core/internal-job.ts";

/** In the queue of assignments. */
export interface Posted {
  /** The queue of the server that wants it done. */
  readonly server: string;
  readonly assignment: Assignment;
}

/** To an executor. */
export type ToExecutor = { readonly server: string; readonly hold: Hold } & (
  | /** Answers "asked": whether the handler may run. */ { readonly type: "go"; readonly may: boolean }
  | { readonly type: "abort"; readonly reason: string }
  | /** Its end was heard, and need not be told again. */ { readonly type: "heard" }
);

/** To a server; `executor` is the queue of whoever says it. */
export type ToServer = { readonly executor: string } & (
  | { readonly type: "asked"; readonly hold: Hold }
  | { readonly type: "progressed"; readonly hold: Hold; readonly progress: ProgressWords }
  | { readonly type: "logged"; readonly hold: Hold; readonly lines: readonly LogWords[] }
  | { readonly type: "ended"; readonly hold: Hold; readonly ending: Ending }
  /** What it has of this server's. */
  | { readonly type: "holding"; readonly holds: readonly Hold[] }
  /** To every server: that it lives, which version of the jobs it has, and for how many tasks it has places in all. */
  | { readonly type: "alive"; readonly version: string; readonly places: number }
);

/** Every server hears what is said here. */
export const aliveExchange = "leadhand.internal.alive";

export function assignmentQueue(version: string): string {
  return `leadhand.internal.${version}`;
}

export function serverQueue(id: string): string {
  return `leadhand.internal.server.${id}`;
}

export function executorQueue(id: string): string {
  return `leadhand.internal.executor.${id}`;
}

/**
 * The same for files whose jobs have the same names and the same schemas. What differs in anything else, as in what a
 * handler does, is the same version: a payload of the one fits the other.
 */
export function versionOf(jobs: readonly InternalJob[]): string {
  const words = jobs.map(({ name, schema, output }) => JSON.stringify([name, schema, output])).sort();
  return createHash("sha256").update(words.join("\n")).digest("hex").slice(0, 16);
}
