import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { readConfig } from "../../src/server/config.ts";
import { server } from "../../src/server/server.ts";
import { freshDatabase, query, withPostgres } from "../fresh-database.ts";
import { run, temporaryFolder } from "../leadhand-process.ts";

const job = "@global:operations:Rotate";

/** Three tasks: completed, in a worker's hands, waiting. Answers the id of the first. */
async function someTasks(flags: Readonly<Record<string, string>>): Promise<string> {
  const usual = { port: "0", "log-level": "silent", data: await temporaryFolder() };
  const { config } = readConfig({ environment: {}, flags: { ...usual, ...flags } });
  const serving = server({ config });
  await serving.start();
  const { jobs, workers, submit, claim, settle } = serving.operations;
  await jobs.register({ name: job, schema: {}, source: "explicit", replace: true });
  const { id: worker } = await workers.register({ profile: "rest", owner: null, jobs: new Map([[job, null]]) });
  const request = { job, room: "@global", payload: "{}" };
  await submit([request, request, request]);
  const [first] = await claim({ worker, limit: 2, waitMs: 0, assign: true });
  assert.ok(first);
  await settle(first.card.id, { worker, attempt: 1 }, { type: "complete", result: null });
  await serving.stop();
  return first.card.id;
}

test("a flipped state in a copied file is found, by the task's name", async () => {
  const data = await temporaryFolder();
  const id = await someTasks({ data });
  const sound = await run(["verify", "--data", data]);
  assert.equal(sound.code, 0);
  assert.equal(sound.out, "3 tasks, 6 events, 0 faults\n");

  const copy = join(await temporaryFolder(), "copy.db");
  await copyFile(join(data, "leadhand.db"), copy);
  const db = new DatabaseSync(copy);
  assert.equal(db.prepare("update outcome set state = 'failed' where task = ?").run(id).changes, 1);
  db.close();
  const found = await run(["verify", copy]);
  assert.equal(found.code, 1);
  assert.equal(found.out, `task ${id} row says state failed, history says completed\n3 tasks, 6 events, 1 fault\n`);
  const json = JSON.parse((await run(["verify", copy, "--json"])).out);
  assert.deepEqual(json.faults, [{ task: id, fault: "row says state failed, history says completed" }]);
});

test("a flipped state in a copied PostgreSQL database is found, by the task's name", withPostgres, async () => {
  const original = await freshDatabase();
  const id = await someTasks({ "database-url": original });
  const copy = await freshDatabase(original);
  await query(copy, "update leadhand.outcome set state = 'failed' where task = $1", [id]);
  const sound = await run(["verify"], { DATABASE_URL: original });
  assert.equal(sound.out, "3 tasks, 6 events, 0 faults\n");
  assert.equal(sound.code, 0);
  const found = await run(["verify"], { DATABASE_URL: copy });
  assert.equal(found.code, 1);
  assert.match(found.out, new RegExp(`^task ${id} row says state failed, history says completed$`, "m"));
});

test("an event that is missing is found", async () => {
  const data = await temporaryFolder();
  const id = await someTasks({ data });
  const db = new DatabaseSync(join(data, "leadhand.db"));
  db.prepare("delete from task_event where task = ? and version = 2").run(id);
  db.close();
  const found = await run(["verify", "--data", data]);
  assert.equal(found.code, 1);
  assert.match(found.out, new RegExp(`^task ${id} goes from version 1 to 3$`, "m"));
});

test("verifying makes no database where there is none, and refuses what is none", async () => {
  const data = await temporaryFolder();
  const none = await run(["verify", "--data", data]);
  assert.equal(none.code, 1);
  assert.equal(none.err, `leadhand verify: ${join(data, "leadhand.db")} does not exist\n`);
  const file = join(data, "notes.txt");
  await copyFile(new URL("../../README.md", import.meta.url), file);
  const text = await run(["verify", file]);
  assert.equal(text.code, 1);
  assert.match(text.err, /^leadhand verify: \S+notes\.txt cannot be read: file is not a database\n$/);
});
