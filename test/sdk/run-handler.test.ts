import assert from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { durationMsMax } from "../../src/core/checks.ts";
import { Fail, RetryLater } from "../../src/sdk/ending.ts";
import { type Handler, type JobDefinition, type JobOptions, job } from "../../src/sdk/job.ts";
import { type Outcome, resultBytesMax, runHandler } from "../../src/sdk/run-handler.ts";
import type { TaskPort } from "../../src/sdk/task-voice.ts";

const silent: TaskPort = { progress: () => {}, log: () => {}, alert: () => {} };
const facts = { id: "t", job: "@global:modifiers:Rotate", room: "lab", attempt: 1, payload: {} };

function outcomeOf(definition: JobDefinition, payload: unknown = {}, port = silent): Promise<Outcome> {
  return runHandler(definition, { ...facts, payload }, port, new AbortController().signal);
}

function ending(handler: Handler, options: JobOptions = {}): Promise<Outcome> {
  return outcomeOf(job(facts.job, options, handler));
}

async function failed(handler: Handler, options?: JobOptions) {
  const outcome = await ending(handler, options);
  assert.ok(outcome.type === "failed", JSON.stringify(outcome));
  return outcome;
}

test("what a handler answers is the result, as JSON text; nothing is null", async () => {
  assert.deepEqual(await ending(() => ({ ok: true })), { type: "completed", result: '{"ok":true}' });
  assert.deepEqual(await ending(async () => undefined), { type: "completed", result: null });
  assert.deepEqual(await ending(() => null), { type: "completed", result: "null" });
});

test("whatever a handler throws fails the task with a sentence", async () => {
  assert.equal((await failed(() => Promise.reject("out of ink"))).message, "out of ink");
  assert.equal((await failed(() => Promise.reject(undefined))).message, "The handler threw undefined");
  assert.equal((await failed(() => Promise.reject(""))).message, "The handler threw ''");
  assert.equal((await failed(() => Promise.reject({ no: 1 }))).message, "The handler threw { no: 1 }");
  const typed = await failed(() => Promise.reject(new TypeError("")));
  assert.equal(typed.message, "TypeError without a message");
  const coded = await failed(() => Promise.reject(Object.assign(new Error("no file"), { code: "ENOENT" })));
  assert.deepEqual([coded.code, coded.retryable], ["ENOENT", true]);
  assert.equal(JSON.parse(coded.details ?? "{}").name, "Error");
  const hostile = await failed(() => Promise.reject(new Proxy({}, { get: () => assert.fail("read") })));
  assert.ok(hostile.message.length > 0);
  const huge = await failed(() => Promise.reject(new Error("\ud800".repeat(100_000))));
  assert.ok(huge.message.length <= 16_384 && huge.message.isWellFormed());
});

test("a handler fails in its own words with Fail, and may say that another try is no use", async () => {
  const outcome = await failed(() => {
    throw new Fail("No such mailbox", { code: "no-mailbox", details: { box: 7 }, retryable: false });
  });
  const { stack: _, ...words } = { stack: 0, ...outcome };
  assert.deepEqual(words, {
    ...{ type: "failed", message: "No such mailbox", code: "no-mailbox" },
    ...{ details: '{"box":7}', retryable: false },
  });
});

test("a result that is no JSON, or too large, or none that a server takes, fails by its code and is not tried again", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const result of [circle, 1n, () => 1, Symbol("s"), { toJSON: () => assert.fail("unwritable") }]) {
    const { code, retryable } = await failed(() => result);
    assert.deepEqual([code, retryable], ["result-not-json", false]);
  }
  for (const result of ["\u0000", { "\ud800": 1 }, JSON.parse("[".repeat(400) + "]".repeat(400))]) {
    const { code, retryable } = await failed(() => result);
    assert.deepEqual([code, retryable], ["result-refused", false]);
  }
  assert.equal((await failed(() => "x".repeat(5_000_000))).code, "result-too-large");
  assert.equal((await failed(() => "x".repeat(resultBytesMax - 1))).code, "result-too-large");
  assert.equal((await ending(() => "x".repeat(resultBytesMax - 2))).type, "completed");
  let deep: unknown = 1;
  for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
  assert.equal((await failed(() => deep)).code, "result-not-json");
});

test("a handler that wants to be asked later hands on its checkpoint, thrown or answered", async () => {
  const later = new RetryLater(1_500, { checkpoint: { page: 2 } });
  const released = { type: "released", delayMs: 1_500, checkpoint: '{"page":2}' };
  assert.deepEqual(await ending(() => Promise.reject(later)), released);
  assert.deepEqual(await ending(() => later), released);
  assert.deepEqual(await ending(() => new RetryLater()), { type: "released", delayMs: 0, checkpoint: null });
  assert.equal((await failed(() => new RetryLater(1, { checkpoint: 1n }))).code, "checkpoint-not-json");
  assert.throws(() => new RetryLater(-1), RangeError);
  assert.throws(() => new RetryLater(Number.NaN), RangeError);
});

test("a delay is a whole number of milliseconds that a server takes, whoever made what was thrown", async () => {
  const later = (delayMs: unknown) =>
    ending(() => Promise.reject(Object.assign(new Error("busy"), { name: "RetryLater", delayMs })));
  const released = { type: "released", checkpoint: null };
  assert.deepEqual(await later(0.4), { ...released, delayMs: 0 });
  assert.deepEqual(await later(durationMsMax), { ...released, delayMs: durationMsMax });
  for (const wrong of [durationMsMax + 1, -1, Number.NaN, Number.POSITIVE_INFINITY, "5000", null, undefined]) {
    const outcome = await later(wrong);
    assert.ok(outcome.type === "failed" && outcome.code === "delay-refused", `${wrong}: ${JSON.stringify(outcome)}`);
  }
});

test("an input is checked and filled in by zod, valibot and arktype alike", async () => {
  const schemas = {
    zod: z.object({ angle: z.number().default(7) }),
    valibot: v.object({ angle: v.optional(v.number(), 7) }),
    arktype: type({ angle: "number = 7" }),
  };
  for (const [name, input] of Object.entries(schemas)) {
    const rotate = job<{ angle: number }, number>(facts.job, { input }, ({ input }) => input.angle + 1);
    assert.deepEqual(await outcomeOf(rotate, {}), { type: "completed", result: "8" }, name);
    const refused = await outcomeOf(rotate, { angle: "left" });
    assert.ok(refused.type === "failed" && refused.code === "invalid-input" && !refused.retryable, name);
    assert.match(refused.message, /\/angle/, name);
    assert.equal(JSON.parse(refused.details ?? "{}").errors[0].pointer, "/angle", name);
  }
});

test("an output that does not fit its schema fails by its field", async () => {
  const options = { output: z.object({ ok: z.boolean() }) };
  const refused = await failed(() => ({ ok: "yes" }), options);
  assert.equal(refused.code, "invalid-output");
  assert.match(refused.message, /\/ok/);
});

test("a handler is told about its task, and its words reach whoever listens", async () => {
  const heard: unknown[] = [];
  const port: TaskPort = {
    progress: (...words) => void heard.push(words),
    log: (level, message, at) => void heard.push([level, message, typeof at]),
    alert: (alert) => void heard.push(alert),
  };
  const outcome = await outcomeOf(
    job(facts.job, {}, (task) => {
      task.progress(1.9, 10, "rotating");
      task.progress(Number.NaN);
      task.log.info("angle %d", 90, { by: "hand" });
      task.alert({ severity: "error", code: "stuck", message: "It does not turn" });
      return [task.id, task.room, task.attempt, task.checkpoint ?? "none", task.signal.aborted];
    }),
    {},
    port,
  );
  assert.deepEqual(outcome, { type: "completed", result: '["t","lab",1,"none",false]' });
  assert.deepEqual(heard, [
    [1, 10, "rotating"],
    [0, null, null],
    ["info", "angle 90 { by: 'hand' }", "number"],
    { severity: "error", code: "stuck", message: "It does not turn" },
  ]);
});
