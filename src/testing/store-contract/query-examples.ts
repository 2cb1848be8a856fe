import assert from "node:assert/strict";
import fc from "fast-check";
import { type Condition, isPicked, type Rule } from "../../core/task-pick.ts";
import type { Failure, Outcome } from "../../core/task-row.ts";
import type { OpenTask, TaskRecord } from "../../ports/records.ts";
import { aTask, aWrite, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { pickFrom, scanAll, somePrints } from "./histories/picks.ts";
import { cancel, complete, type Example, type Stage, start } from "./stage.ts";

const now = worldStart + 60;
const count = 60;

const payloads = [
  '{"n":1,"a":{"b":"x"}}',
  '{"n":1.0,"list":[1,2]}',
  '{"n":"1","ok":true}',
  '{"n":2,"n":1}',
  '{"a":{"\\u0062":"x"}}',
  '{"a":{"b":"\\u0078"},"list":{"1":2e0}}',
  '{"a":"b","ok":"true"}',
  '{"x":"\\u0000"}',
  "{}",
] as const;

const errors: readonly Failure[] = [
  { message: "Worker gone: ÉTÉ", code: "worker_lost", details: '{"deep":1}' },
  { message: "LOST\u0000 and found", code: "e1", details: null },
  { message: "straße", code: null, details: null },
];

export function queryExamples(example: Example): void {
  example("whatever is asked for, the tasks found are those that the rule picks, newest first", async (stage) => {
    const lanes = await manyTasks(stage);
    const records = await allRecords(stage);
    assert.equal(new Set(records.map(({ row }) => row.state)).size, 6, "there are tasks of every state");
    const asked = fc.record({
      n: fc.nat(),
      rows: fc.integer({ min: 1, max: 70 }),
      limit: fc.integer({ min: 1, max: 9 }),
    });
    const holds = fc.asyncProperty(asked, async ({ n, rows, limit }) => {
      const some = lanes.filter((_, index) => ((n >> index) & 1) === 1);
      const pick = pickFrom(n, { now, id: taskId(n % count), lanes: some });
      const found = await scanAll(stage.store, { pick, rows, limit, want: "states" });
      const wanted = records.filter((record) => isPicked(record, pick));
      assert.deepEqual(
        found.map(({ id, state }) => [id, state]),
        wanted.map(({ card, row }) => [card.id, row.state]),
        JSON.stringify(pick),
      );
    });
    await fc.assert(holds, { numRuns: 250 });
  });

  example("a look ends after as many tasks as it may see or find, and says where to go on", async (stage) => {
    await manyTasks(stage);
    const look = async (before: string | null, rows: number, limit: number, conditions: readonly Condition[] = []) => {
      const query = { pick: { now, conditions }, before, rows, limit, want: "ids" } as const;
      const { found, through, seen } = await stage.store.read("taskScan", query);
      return { ids: found.map(({ id }) => id), through, seen };
    };
    const newest = [60, 59, 58].map(taskId);
    assert.deepEqual(await look(null, 3, 100), { ids: newest, through: taskId(58), seen: 3 });
    assert.deepEqual(await look(null, 50, 3), { ids: newest, through: taskId(58), seen: 3 });
    assert.deepEqual((await look(taskId(3), 50, 100)).ids, [2, 1].map(taskId));
    assert.deepEqual((await look(taskId(3), 50, 100)).through, null);
    const none = await look(null, 100, 3, [{ kind: "rooms", rooms: ["nowhere"], not: false }]);
    assert.deepEqual([none.ids, none.through], [[], null]);
  });

  example("records come whole, or without what is long", async (stage) => {
    await manyTasks(stage);
    const rule: Rule = { kind: "stages", stages: ["failed", "completed"] };
    const pick = { now, conditions: [{ ...rule, not: false }] };
    const read = async (want: "bare" | "whole") =>
      (await scanAll(stage.store, { pick, rows: 100, limit: 100, want })).map(({ record }) => record as TaskRecord);
    const whole = await read("whole");
    assert.deepEqual(whole, await stage.store.read("tasks", { ids: whole.map(({ card }) => card.id) }));
    const cut = whole.map((record) => {
      const { error } = record.outcome as NonNullable<TaskRecord["outcome"]>;
      const failure = error === null ? null : { ...error, details: null };
      return { ...record, payload: "null", outcome: { ...record.outcome, result: null, error: failure } };
    });
    assert.deepEqual(await read("bare"), cut);
  });
}

async function allRecords(stage: Stage): Promise<readonly TaskRecord[]> {
  return (await stage.store.read("taskList", { limit: 100, offset: 0 })).items;
}

/** Of three lanes and three rooms, in every state. */
async function manyTasks(stage: Stage): Promise<readonly number[]> {
  const lanes = [await stage.begin(), await stage.lane({ queue: "b" }), await stage.lane({ queue: "c" })];
  await stage.worker(2);
  for (let n = 1; n <= count; n += 1) {
    await stage.submit(
      aTask({
        ...{ id: taskId(n), lane: lanes[n % 3] as number, room: ["lab", "@global", "y"][n % 3] as string },
        ...{
          priority: [0, 5, -5, 6][n % 4] as number,
          createdAt: worldStart + n,
          retryOf: n % 7 === 0 ? taskId(n % 5) : null,
        },
        parent: n % 5 === 0 ? taskId(2) : null,
        submitter: ["ada", null, "Ada", "b\\ \u0000b"][n % 4] as string | null,
        payload: payloads[n % payloads.length] as string,
        runAt: n % 11 === 0 ? now + 1_000 : null,
      }),
    );
  }
  for (const lane of lanes.slice(0, 2)) await settleSome(stage, lane);
  return lanes;
}

async function settleSome(stage: Stage, lane: number): Promise<void> {
  const held = [
    ...(await stage.claims([lane], { limit: 10, worker: workerId(1) }, now - 30)),
    ...(await stage.claims([lane], { limit: 4, worker: workerId(2) }, now - 20)),
  ];
  for (const [nth, task] of held.entries()) {
    // What others wait for stays open.
    if (task.card.id === taskId(2)) continue;
    const error = errors[nth % errors.length] as Failure;
    if (nth % 6 === 0) continue;
    await stage.settle(task, [start], now - 18);
    const running = { ...task, row: { ...((await stage.task(task.card.id)) as TaskRecord).row } };
    if (nth % 6 === 1) continue;
    if (nth % 6 === 2) await stage.settle(running, [{ ...complete, note: "lost nothing" }], now - nth);
    if (nth % 6 === 3) await fail(stage, running, error, now - nth);
    if (nth % 6 === 4) await stage.settle(running, [{ ...cancel, note: error.message }], now - nth);
    if (nth % 6 === 5) await stage.settle(running, [{ type: "defer", total: 3 }], now - nth);
  }
}

/** Some are known by what is alike in them, as the engine writes it along. */
async function fail(stage: Stage, task: OpenTask, error: Failure, at: number): Promise<void> {
  const write = aWrite(task, [{ type: "fail", error, retryable: false }], at);
  const fingerprint = somePrints[at % 3];
  const outcome = { ...(write.outcome as Outcome), ...(fingerprint !== undefined && { fingerprint }) };
  await stage.store.exchange([{ ...write, outcome }], [], at);
}
