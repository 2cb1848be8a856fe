import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, query, withPostgres } from "../fresh-database.ts";
import { run } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import type { Message } from "./raw-worker.ts";
import { type Assigned, hire, id, rollOut, type Stage, versions } from "./rolling-out.ts";

test("a rolling deploy with a breaking change at 500 tasks a second: none to the wrong version, none lost", async () => {
  const scene = await restScene();
  const database = new DatabaseSync(join(scene.data, "leadhand.db"), { readOnly: true });
  const { token } = scene.admin;
  const stage: Stage = { servers: [scene], token, query: (sql) => database.prepare(sql).all() as Message[] };
  const { waiting, young } = await rollOut(stage);

  // What the new schema refuses runs once the old one is back, by workers that were written for it.
  const file = join(scene.data, "old-spec.json");
  writeFileSync(file, JSON.stringify({ id, schema: versions.old.schema }));
  const command = await run(["specs", "push", file], { LEADHAND_URL: scene.url, LEADHAND_TOKEN: token });
  assert.equal(command.code, 0, command.err);
  const again: Assigned[] = [];
  const last = await hire(stage, "old", again);
  const open = database.prepare("select id from open_task");
  await until("what waited runs", () => open.all().length === 0, 30_000);
  assert.deepEqual(new Set(again.map(({ task }) => task)), new Set(waiting));
  for (const worker of [last, ...young]) await worker.drain();
  database.close();
});

test(
  "the same over two servers, where the one with the old workers hears of the change last",
  withPostgres,
  async () => {
    const url = await freshDatabase();
    const servers = [await restScene({ "database-url": url }), await restScene({ "database-url": url })] as const;
    const { token } = await servers[0].caller("root", { role: "admin" });
    const { young } = await rollOut({ servers, token, query: (sql) => query(url, sql) as Promise<Message[]> });
    for (const worker of young) await worker.drain();
  },
);
