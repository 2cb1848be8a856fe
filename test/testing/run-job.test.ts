// Handlers in unit tests of one line.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { Fail, job, RetryLater } from "../../src/sdk/index.ts";
import { runJob } from "../../src/testing/index.ts";

const rotate = job("lab:modifiers:Rotate", { input: z.object({ angle: z.number().default(90) }) }, (task) => {
  task.progress(1, 2, "half way");
  task.log.info("rotating by", task.input.angle);
  return { turned: task.input.angle % 360, at: new Date(0), missing: undefined };
});

test("a handler's result is what a client would read", async () => {
  const { outcome, result, error } = await runJob(rotate, { angle: 450 });
  assert.deepEqual({ outcome, error }, { outcome: "completed", error: null });
  assert.deepEqual(result, { turned: 90, at: "1970-01-01T00:00:00.000Z" });
  // The types of payload and result are the job's: this would not compile otherwise.
  assert.equal(result?.turned, 90);
});

test("progress and log lines are kept in order", async () => {
  const { progress, log } = await runJob(rotate, { angle: 1 });
  assert.deepEqual(progress, [{ current: 1, total: 2, message: "half way" }]);
  assert.deepEqual(log, [{ level: "info", message: "rotating by 1" }]);
});

test("defaults of the schema are filled in, and what does not fit fails by its field", async () => {
  assert.equal((await runJob(rotate)).result?.turned, 90);
  const { outcome, error } = await runJob(rotate, { angle: "left" as unknown as number });
  assert.equal(outcome, "failed");
  assert.deepEqual([error?.code, error?.retryable], ["invalid-input", false]);
  assert.match(error?.message ?? "", /\/angle/);
});

test("what a handler throws is its failure, in its own words", async () => {
  const failing = job("@global:modifiers:Fail", {}, () => {
    throw new Fail("out of paper", { code: "no-paper", details: { tray: 2 }, retryable: false });
  });
  const { outcome, error } = await runJob(failing);
  const said = { message: "out of paper", code: "no-paper", details: { tray: 2 }, retryable: false };
  assert.deepEqual({ outcome, error }, { outcome: "failed", error: said });
});

test("a handler that asks for later is released, and goes on from what it handed on", async () => {
  const counting = job("@global:modifiers:Count", {}, ({ checkpoint, attempt }) => {
    if (checkpoint === undefined) throw new RetryLater(5_000, { checkpoint: { page: 7 } });
    return { checkpoint, attempt };
  });
  const first = await runJob(counting);
  assert.deepEqual([first.outcome, first.delayMs, first.checkpoint], ["released", 5_000, { page: 7 }]);
  const second = await runJob(counting, {}, { attempt: 2, checkpoint: first.checkpoint });
  assert.deepEqual(second.result, { checkpoint: { page: 7 }, attempt: 2 });
});

test("a handler sees the task it is told of, and a signal that the test holds", async () => {
  const curious = job("lab:modifiers:Curious", {}, ({ id, room, attempt, signal }) => {
    return { id, room, attempt, aborted: signal.aborted };
  });
  const { result } = await runJob(curious, {}, { id: "task-7", room: "attic", signal: AbortSignal.abort() });
  assert.deepEqual(result, { id: "task-7", room: "attic", attempt: 1, aborted: true });
  assert.equal((await runJob(curious)).result?.room, "lab");
});

test("a handler that leaves its task to messages shows them, as their consumers would read them", async () => {
  const dispatch = job("@global:operations:dispatch", {}, (task) => {
    const batches = (task.input as { batches: number }).batches;
    const at = new Date(0);
    const messages = Array.from({ length: batches }, (_, batch) => ({
      ...{ queue: "protea.embeddings.batch", operation: "embed", payload: { batch, at, missing: undefined } },
    }));
    task.defer({ messages });
    return { batches };
  });
  const { outcome, result, deferral } = await runJob(dispatch, { batches: 1 });
  const payload = { batch: 0, at: "1970-01-01T00:00:00.000Z" };
  const messages = [{ queue: "protea.embeddings.batch", operation: "embed", payload }];
  assert.deepEqual(
    { outcome, result, deferral },
    { outcome: "deferred", result: null, deferral: { total: 1, messages } },
  );
  const none = await runJob(dispatch, { batches: 0 });
  assert.deepEqual([none.outcome, none.result, none.deferral], ["completed", { batches: 0 }, null]);
});

test("a deferral that cannot be, or of a handler that fails, defers nothing", async () => {
  const wrong = job("@global:operations:wrong", {}, (task) => task.defer({ total: -1 }));
  const bad = await runJob(wrong);
  assert.deepEqual([bad.outcome, bad.error?.code, bad.deferral], ["failed", "deferral-refused", null]);
  const late = job("@global:operations:late", {}, (task) => {
    task.defer({ total: 3 });
    throw new Error("too late");
  });
  const { outcome, deferral } = await runJob(late);
  assert.deepEqual([outcome, deferral], ["failed", null]);
});
