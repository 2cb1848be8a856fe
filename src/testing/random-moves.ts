// Any move with any words, by number: for walks and histories that go where chance leads.

import type { Policy } from "../core/policy.ts";
import type { Move, MoveType } from "../core/task.ts";
import { workerId } from "./builders.ts";

export const policies: readonly Policy[] = [
  {},
  { retry: { maxAttempts: 3, baseMs: 20 } },
  { timeoutMs: 50, onChildFailure: "failFast" },
  { stuckTaskMs: 30, maxRequeues: 1 },
  { startWithinMs: 20, onWorkerLost: "fail" },
  { onChildFailure: "stall", stallMs: 10, timeoutMs: 500 },
];

export const texts = ["{}", "", '{"a":"\\u0000","a":2}', `"'\\{},\n\t🦊$1"`, "null", '["é"]'] as const;

/** The n-th, counting round and round; of an empty list, nothing. */
export function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % list.length];
}

/** As `pick`, of a list that is not empty. */
export function oneOf<T>(list: readonly T[], n: number): T {
  return list[n % list.length] as T;
}

export function moveOf(type: MoveType, n: number): Move {
  const text = oneOf(texts, n);
  const error = { message: text, code: n % 2 === 0 ? null : "E", details: n % 3 === 0 ? null : text };
  switch (type) {
    case "claim":
    case "assign":
      return { type, worker: workerId(n % 5) };
    case "start":
    case "republish":
      return { type };
    case "complete":
      return { type, result: n % 4 === 0 ? null : text, note: n % 5 === 0 ? "note" : null };
    case "fail":
      return { type, error, retryable: n % 4 !== 0 };
    case "release":
      return { type, reason: text, delayMs: n % 3 === 0 ? n : 0, ...(n % 2 === 0 ? { checkpoint: text } : {}) };
    case "expire":
      return { type, reason: oneOf(["session", "lease", "removed"] as const, n) };
    case "defer":
      return { type, total: 1 + (n % 3) };
    case "count":
      return { type, done: n % 2, failed: (n + 1) % 2, ...(n % 3 === 0 && { unindexed: true, errors: [text] }) };
    case "timeout":
      return { type, error };
    case "cancel":
      return { type, reason: n % 2 === 0 ? null : text };
    case "progress":
      return { type, progress: { current: n / 4, total: n % 2 === 0 ? null : n, message: n % 3 === 0 ? null : text } };
  }
}
