import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssignedJob } from "../../../protocol/work/frames.ts";
import { taskVoice } from "../../task-voice.ts";
import { type HeldTask, heldTask } from "./held-task.ts";
import { type Load, outbox } from "./outbox.ts";

const bodyBytesMax = 4 * 1_048_576;

function aTask(id: string): HeldTask {
  const logs = { requested: true, level: "info" };
  return heldTask({ id, attempt: 1, logs } as unknown as AssignedJob);
}

const bytesIn = ({ alerts, jobs, logs, results }: Load): number =>
  Buffer.byteLength([...alerts, ...jobs, ...logs, ...results].join());

test("however much handlers say at once, no frame is larger than the server takes, and all of it leaves", () => {
  const words = outbox({ soon: () => {}, now: () => {}, concurrency: 1 });
  const tasks = Array.from({ length: 3_000 }, (_, index) => aTask(`task ${index}`));
  for (const held of tasks) words.portOf(held).progress(1, 2, "é".repeat(4_000));
  const loads: Load[] = [];
  do loads.push(words.load());
  while (loads.at(-1)?.isLast === false);
  assert.ok(Math.max(...loads.map(bytesIn)) < bodyBytesMax);
  assert.equal(new Set(loads.flatMap(({ jobs }) => jobs)).size, tasks.length);
});

test("an alert without a code has one that a server takes", () => {
  const words = outbox({ soon: () => {}, now: () => {}, concurrency: 1 });
  taskVoice(words.portOf(aTask("one"))).alert({ severity: "info", code: "", message: "hm" });
  assert.equal(JSON.parse(words.load().alerts[0] ?? "").code, "alert");
});
