import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine, TaskRecord } from "../ports/records.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { recordedBus } from "../testing/recorded-bus.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { settled } from "../testing/world.ts";
import type { Surroundings } from "./surroundings.ts";
import { watchTask } from "./task-watch.ts";

const id = "t";

/** A task and its log, as a store has them, and what is told of them. */
function scene({ written = 0, progress = null as object | null } = {}) {
  const [clock, bus] = [manualClock(), recordedBus()];
  const lines = Array.from({ length: written }, (_, n) => n);
  const row = { state: "running", version: 1, progress, children: null };
  const told: string[] = [];
  let looks = 0;
  const store = {
    async read(kind: string, query: { limit: number; offset: number }) {
      if (kind === "taskScan") {
        looks += 1;
        return { found: [{ id, state: row.state, record: { row: { ...row } } }], through: null, seen: 1 };
      }
      return { items: lines.slice(query.offset, query.offset + query.limit), total: lines.length };
    },
  };
  const around = { store, bus, clock, log: recordedLog() } as unknown as Surroundings;
  const end = watchTask(around, id, {
    progress: (task: TaskRecord) => told.push(`progress ${JSON.stringify(task.row.progress)}`),
    lines: (some: readonly LogLine[], from: number) => told.push(`lines ${from}+${some.length}`),
  });
  const pass = async (ms: number): Promise<void> => {
    await settled(5);
    clock.advance(ms);
    await settled(5);
  };
  return { clock, bus, lines, row, told, end, pass, looks: () => looks };
}

test("progress is told when it has changed, and at most four times a second", async () => {
  const { bus, row, told, pass, looks } = scene();
  await pass(250);
  assert.deepEqual(told, []);
  const before = looks();
  for (let n = 1; n <= 100; n += 1) {
    row.progress = { current: n };
    bus.publish(`task:${id}`);
    await pass(10);
  }
  await pass(250);
  assert.ok(looks() - before <= 5, `${looks() - before} looks in a second`);
  assert.equal(told.at(-1), 'progress {"current":100}', "the last word is told");
  const many = told.length;
  bus.publish(`task:${id}`);
  await pass(250);
  assert.equal(told.length, many, "what has not changed is not");
});

test("progress that was made before somebody followed is told first", async () => {
  const { told, pass } = scene({ progress: { current: 1 } });
  await pass(0);
  assert.deepEqual(told, ['progress {"current":1}']);
});

test("lines are told once each and in order, after the last few that were there", async () => {
  const { bus, lines, told, pass } = scene({ written: 250 });
  await pass(250);
  assert.deepEqual(told, ["lines 150+100"]);
  lines.push(...Array(700).fill(0));
  bus.publish(`log:${id}`);
  await pass(250);
  await pass(250);
  assert.deepEqual(told, ["lines 150+100", "lines 250+500", "lines 750+200"]);
});

test("a hint that was lost costs time alone, until the task has ended", async () => {
  const { row, lines, told, pass, looks } = scene();
  await pass(0);
  row.progress = { current: 1 };
  lines.push(1);
  row.state = "completed";
  await pass(15_000);
  assert.deepEqual(told, ['progress {"current":1}', "lines 0+1"]);
  const before = looks();
  await pass(60_000);
  assert.equal(looks(), before, "nothing more will happen");
});

test("whoever has stopped following is told nothing more, and listens to nothing", async () => {
  const { bus, row, told, end, pass } = scene();
  await pass(250);
  row.progress = { current: 1 };
  bus.publish(`task:${id}`);
  end();
  await pass(20_000);
  assert.deepEqual(told, []);
  assert.ok(!bus.wanted(`task:${id}`) && !bus.wanted(`log:${id}`));
});
