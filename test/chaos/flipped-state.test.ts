// A database that was tampered with, or that rotted: `verify` must find the one row that does not follow from its history.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { TaskState } from "../../src/core/task-row.ts";
import { verify } from "../../src/engine/verify.ts";
import type { TaskRecord } from "../../src/ports/records.ts";
import { systemClock } from "../../src/server/system.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { chaosEngine, openPlace, type Place } from "./chaos-engine.ts";
import { type PrivatePostgres, privatePostgres, query } from "./private-postgres.ts";
import { allJobs, prepare, scene } from "./scene.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

interface Flip {
  readonly what: string;
  /** The state of a task to which it can be done. */
  readonly to: TaskState;
  /** `:id` stands for that task. */
  readonly sql: string;
}

/** In words that both databases understand. */
const flips: readonly Flip[] = [
  {
    what: "an outcome that says failed",
    to: "completed",
    sql: "update outcome set state = 'failed', result = null where task = :id",
  },
  { what: "an outcome that is gone", to: "completed", sql: "delete from outcome where task = :id" },
  {
    what: "an outcome of another attempt",
    to: "failed",
    sql: "update outcome set attempt = attempt + 1 where task = :id",
  },
  {
    what: "a pending task that was never failed but counts one",
    to: "pending",
    sql: "update open_task set failures = 1, attempt = attempt + 1 where id = :id",
  },
  {
    what: "a running task in other hands",
    to: "running",
    sql: "update open_task set worker = 'someone else' where id = :id",
  },
  {
    what: "a running task that is pending",
    to: "running",
    sql: "update open_task set state = 'pending', worker = null, claimed_at = null, started_at = null, leased_until = null, due_at = null where id = :id",
  },
  {
    what: "a version that no event led to",
    to: "running",
    sql: "update open_task set version = version + 1 where id = :id",
  },
  { what: "an open task that is gone", to: "pending", sql: "delete from open_task where id = :id" },
  {
    what: "a history without its second line",
    to: "cancelled",
    sql: "delete from task_event where task = :id and version = 2",
  },
  {
    what: "a history without a beginning",
    to: "completed",
    sql: "delete from task_event where task = :id and version = 1",
  },
  {
    what: "an event that tells of another state",
    to: "completed",
    sql: "update task_event set state = 'running' where task = :id and version = 3",
  },
];

/** A few tasks of every state; answers one of each. */
async function populate(place: Place): Promise<Map<TaskState, string>> {
  const running = await chaosEngine(place, { log: recordedLog() });
  const { engine } = running;
  try {
    await prepare(engine);
    const stage = scene({ ...running, seed: 1, name: "flip", note: () => undefined });
    const jobs = new Map(allJobs.map((job) => [job, null]));
    const { id: worker } = await engine.workers.register({ profile: "work", owner: null, jobs });
    const tasks = (await stage.submit(Array.from({ length: 30 }, () => ({})))) as readonly TaskRecord[];
    const claimed = await engine.claim({ worker, limit: 20, assign: true, waitMs: 0 });
    const error = { message: "No luck", code: null, details: null };
    for (const [index, { card }] of claimed.entries()) {
      const holder = { worker, attempt: 1 };
      if (index < 5) await engine.settle(card.id, holder, { type: "complete", result: "{}" });
      else if (index < 10) await engine.settle(card.id, holder, { type: "fail", error });
      else if (index < 15) await engine.cancel({ id: card.id, actor: null });
    }
    const at = (index: number): string => tasks[index]?.card.id as string;
    return new Map([
      ["completed", at(2)],
      ["failed", at(7)],
      ["cancelled", at(12)],
      ["running", at(17)],
      ["pending", at(25)],
    ]);
  } finally {
    await engine.stop();
  }
}

async function faultsOf(place: Place): Promise<string[]> {
  const store = openPlace(place, systemClock(), recordedLog());
  await store.start();
  try {
    const { tasks, faults } = await verify(store);
    assert.equal(tasks, 30);
    return faults.map(({ task }) => task);
  } finally {
    await store.stop();
  }
}

test("one row that was changed in a copy of a SQLite file is found, and named", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-flip-"));
  const file = join(folder, "leadhand.db");
  try {
    const tasks = await populate({ file });
    assert.deepEqual(await faultsOf({ file }), []);
    for (const [index, { what, to, sql }] of flips.entries()) {
      const copy = join(folder, `copy-${index}.db`);
      copyFileSync(file, copy);
      const id = tasks.get(to) as string;
      const db = new DatabaseSync(copy);
      assert.equal(db.prepare(sql.replace(":id", "?")).run(id).changes, 1, what);
      db.close();
      await t.test(what, async () => assert.deepEqual(await faultsOf({ file: copy }), [id]));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("one row that was changed in a copy of a PostgreSQL database is found, and named", { skip }, async (t) => {
  const at = (database: string): string => own.postgres.url.replace(/postgres$/, database);
  const schema = own.schema();
  await own.query("create database original");
  const tasks = await populate({ url: at("original"), schema });
  assert.deepEqual(await faultsOf({ url: at("original"), schema }), []);
  for (const [index, { what, to, sql }] of flips.entries()) {
    const copy = `copy_${index}`;
    await own.query(`create database ${copy} template original`);
    const id = tasks.get(to) as string;
    const changed = `with changed as (${sql.replace(":id", "$1")} returning 1) select count(*)::int as rows from changed`;
    const [answer] = await query<{ rows: number }>(`${at(copy)}?options=-csearch_path%3D${schema}`, changed, [id]);
    assert.equal(answer?.rows, 1, what);
    await t.test(what, async () => assert.deepEqual(await faultsOf({ url: at(copy), schema }), [id]));
  }
});
