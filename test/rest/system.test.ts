// The server that is asked, and what it stands on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";

const password = "pa55word";

const stores = [
  ["sqlite", async () => ({}), false],
  ["postgres", async () => ({ "database-url": await freshDatabase() }), withPostgres.skip],
] as const;

for (const [kind, flags, skip] of stores) {
  test(`on ${kind} a server tells of its database, its sweeps and its settings`, { skip }, async () => {
    const { admin, caller } = await restScene({
      ...(await flags()),
      retention: "7d",
      "jwt-secret": password.repeat(8),
    });
    await admin.put("/rooms/lab/jobs", { category: "modifiers", name: "Rotate" });
    await admin.post("/rooms/lab/tasks/lab:modifiers:Rotate", {});
    await admin.post("/sweep");
    const { status, body, text } = await admin.get("/system");
    assert.equal(status, 200, text);
    const [node] = (await admin.get("/nodes")).body.items;
    assert.deepEqual([body.node_id, body.version], [node.id, node.version]);
    assert.ok(Date.parse(body.started_at) <= Date.parse(body.now));
    const { store, sweeper, retention, broker, settings } = body;
    assert.equal(store.kind, kind);
    assert.ok(store.bytes > 0 && /^\d+\.\d+/.test(store.version));
    assert.ok(store.tables.some(({ name }: { name: string }) => name === "task"));
    assert.ok(
      store.tables.every(({ name }: { name: string }) => !/^task_w|^sqlite_/.test(name)),
      "parts are told as one",
    );
    assert.equal(store.migrations[0].number, 1);
    const submit = store.statements.find(({ name }: { name: string }) => name === "submit");
    assert.equal(submit.calls, 1);
    assert.ok(submit.mean_ms > 0 && submit.p95_ms <= submit.max_ms);
    assert.ok(sweeper.runs >= 1 && sweeper.leader && sweeper.last_at !== null);
    assert.deepEqual(retention, { days: 7, idempotency_days: 1 });
    assert.equal(broker, null);
    const named = (wanted: string) => settings.find(({ name }: { name: string }) => name === wanted);
    assert.equal(named("LEADHAND_RETENTION").value, "7d");
    assert.ok(!text.includes(password), "secrets are hidden");
    const seen = (await (await caller("vic", { role: "viewer" })).get("/system")).body;
    assert.equal(seen.settings, null, "settings are for superusers");
    assert.deepEqual(seen.store.tables, store.tables, "sizes are not asked for again at once");
    const limited = await caller("ann", { rooms: ["lab"] });
    expectProblem(await limited.get("/system"), "forbidden");
  });
}
