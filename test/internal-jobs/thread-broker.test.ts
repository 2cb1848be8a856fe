import assert from "node:assert/strict";
import { test } from "node:test";
import { executorEntry } from "../../src/cli/executor-entry.ts";
import type { Ending } from "../../src/core/internal-job.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { systemClock } from "../../src/server/system.ts";
import { brokerContract } from "../../src/testing/broker-contract.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { threadBroker } from "../../src/transports/internal/thread-broker.ts";

const clock = systemClock();
const quiet = { clock, log: recordedLog(), print: () => {} };

/** A thread that loads well and dies as soon as it is given something. */
const dying = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from "node:worker_threads";
  const job = { name: "@internal:modifiers:Any", schema: "{}", output: null, queue: null, policy: {} };
  parentPort.postMessage({ type: "ready", jobs: [job] });
  parentPort.on("message", () => process.exit(5));
`)}`,
);

function broker(threads: number, module = new URL("./jobs.ts", import.meta.url).href, time: Clock = clock) {
  return threadBroker({ entry: executorEntry, module, threads, ...quiet, clock: time });
}

brokerContract("threads", {
  open: (places) => broker(places),
  quick: "@internal:modifiers:Echo",
  slow: "@internal:modifiers:Wait",
});

const nobody = { started: async () => true, progressed() {}, logged() {}, ended() {}, placed() {} };

for (const [what, source, says] of [
  ["does not parse", "export const jobs = [", /Unexpected end|missing|Expression expected/],
  ["throws", "throw new Error('no licence')", /no licence/],
  ["exports no jobs", "export const job = 1", /does not export `jobs`/],
  ["exports something else", "export const jobs = [1]", /something that is no job/],
  [
    "has a job of another room",
    "export const jobs = [{name: '@global:modifiers:X', handler() {}}]",
    /@global:modifiers:X/,
  ],
  ["has one job twice", "const a = {name: 'modifiers:X', handler() {}}; export const jobs = [a, a]", /two jobs called/],
  ["ends its thread", "process.exit(7)", /code 7/],
] as const) {
  test(`a module that ${what} is refused at the start, and the refusal says why`, async () => {
    const module = `data:text/javascript,${encodeURIComponent(source)}`;
    await assert.rejects(broker(1, module).start(nobody), says);
  });
}

test("a handler that does not stop when it is told to is ended with its thread, and the next has a new one", async () => {
  const time = manualClock();
  const threads = broker(1, undefined, time);
  const ended: string[] = [];
  let started = 0;
  await threads.start({
    ...nobody,
    async started() {
      started += 1;
      return true;
    },
    ended: (_, ending) => void ended.push(ending.type === "failed" ? ending.error.message : ending.type),
  });
  const words = { attempt: 1, worker: "w", room: "lab", payload: '{"x":1}', checkpoint: null };
  const block = { ...words, task: "1", job: "@internal:modifiers:Block" };
  await threads.dispatch([block]);
  await until("it has started", () => started === 1);
  threads.abort(block, "cancelled");
  time.advance(4_999);
  assert.deepEqual(ended, []);
  time.advance(1);
  await until("its thread has ended", () => ended.length === 1);
  assert.deepEqual(ended, ["The executor died: it did not stop when it was told to"]);
  assert.deepEqual(await threads.dispatch([{ ...words, task: "2", job: "@internal:modifiers:Echo" }]), [true]);
  await until("the next has ended", () => ended.length === 2);
  assert.equal(ended[1], "completed");
  await threads.stop();
});

test("a task whose thread died before it came to it has not been tried, and goes back", async () => {
  const threads = threadBroker({ entry: dying, module: "none", threads: 1, ...quiet });
  const ended: Ending[] = [];
  await threads.start({ ...nobody, ended: (_, ending) => void ended.push(ending) });
  const words = { attempt: 1, worker: "w", room: "lab", payload: "{}", checkpoint: null };
  assert.deepEqual(await threads.dispatch([{ ...words, task: "1", job: "@internal:modifiers:Any" }]), [true]);
  await until("it has ended", () => ended.length === 1);
  assert.deepEqual(ended, [{ type: "later", delayMs: 0, checkpoint: null }]);
  await threads.stop();
});
