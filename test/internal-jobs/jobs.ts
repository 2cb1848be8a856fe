// Internal jobs that a test can see through: they do what their payload says.

import { setTimeout as pause } from "node:timers/promises";
import { isMainThread, threadId } from "node:worker_threads";
import { Fail, RetryLater } from "../../src/sdk/ending.ts";
import { job, type Task } from "../../src/sdk/job.ts";

interface Words {
  readonly a?: number;
  readonly b?: number;
}

const input = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
} as const;

export const jobs = [
  job<Words, unknown>("@internal:modifiers:Add", { input }, (task) => {
    task.progress(1, 2, "adding");
    task.log.info("adding %d and %d", task.input.a, task.input.b);
    return { sum: (task.input.a ?? 0) + (task.input.b ?? 0), thread: threadId, main: isMainThread };
  }),
  job("modifiers:Fail", {}, () => {
    throw new Fail("no paper", { code: "paper", details: { tray: 2 } });
  }),
  job("modifiers:FailTwice", { retry: { maxAttempts: 3, baseMs: 10 } }, (task: Task) => {
    if (task.attempt < 3) throw new Error(`attempt ${task.attempt}`);
    return { attempt: task.attempt };
  }),
  job("modifiers:Later", {}, (task: Task) => {
    if (task.checkpoint === undefined) throw new RetryLater(10, { checkpoint: { page: 7 } });
    return task.checkpoint;
  }),
  job("modifiers:Wait", {}, async (task: Task) => {
    await pause(3_600_000, undefined, { signal: task.signal });
  }),
  job("modifiers:Block", { timeoutMs: 300 }, () => {
    for (;;);
  }),
  job("modifiers:Spin", {}, () => {
    for (;;);
  }),
  job("modifiers:Die", {}, () => process.exit(3)),
  job("modifiers:Throw", {}, () => {
    setImmediate(() => {
      throw new Error("from nowhere");
    });
    return pause(3_600_000);
  }),
  job("modifiers:Large", {}, () => "x".repeat(2_000_000)),
  job("modifiers:Short", { output: { type: "object", required: ["ok"] } }, () => ({ fine: true })),
  job("modifiers:Nap", {}, async (task: Task) => {
    await pause((task.input as { readonly ms: number }).ms, undefined, { signal: task.signal });
    return { attempt: task.attempt };
  }),
  job("modifiers:Snore", {}, async (task: Task) => {
    console.log(`asleep over ${task.id}`);
    await pause(1_000, undefined, { signal: task.signal });
  }),
  job("modifiers:Echo", {}, (task: Task) => task.input),
  job("modifiers:Print", {}, () => void console.log("printed by a handler")),
];
