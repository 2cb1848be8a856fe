import assert from "node:assert/strict";
import { test } from "node:test";
import { executorEntry } from "../../src/cli/executor-entry.ts";
import { systemClock } from "../../src/server/system.ts";
import { brokerContract } from "../../src/testing/broker-contract.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { threadBroker } from "../../src/transports/internal/thread-broker.ts";

const clock = systemClock();
const quiet = { clock, log: recordedLog(), print: () => {} };

function broker(threads: number, module = new URL("./jobs.ts", import.meta.url).href) {
  return threadBroker({ entry: executorEntry, module, threads, ...quiet });
}

brokerContract("threads", {
  open: (places) => broker(places),
  quick: "@internal:modifiers:Echo",
  slow: "@internal:modifiers:Wait",
});

const nobody = { started: async () => true, progressed() {}, logged() {}, ended() {} };

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
