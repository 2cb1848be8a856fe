// Two versions of the server on one database, as in a rolling upgrade: what a newer one adds, an older one leaves alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { migrations as postgresMigrations } from "../../src/stores/postgres/migrate.ts";
import { migrations as sqliteMigrations } from "../../src/stores/sqlite/migrate.ts";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, query, withPostgres } from "../fresh-database.ts";
import { run } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { clientOf, hire } from "../sdk/scene.ts";

/** From this one on, servers of the version before may be at work while it runs. */
const firstAdditive = 6;

/** What is wrong with each statement; one that begins by raising the floor says that older releases cannot go on. */
function faultsOf(sql: string): string[] {
  const statements = sql
    .replace(/--.*$/gm, "")
    .split(";")
    .map((text) => text.trim().replace(/\s+/g, " ").toLowerCase())
    .filter((text) => text !== "");
  if (statements.some((text) => /^update meta set floor = \d+/.test(text))) return [];
  const made = statements.flatMap((text) => /^create table (?:if not exists )?(\w+)/.exec(text)?.[1] ?? []);
  return statements.filter((text) => !isAdditive(text, made));
}

function isAdditive(text: string, made: readonly string[]): boolean {
  if (/^create (?:table|index|sequence) /.test(text)) return true;
  const [, table] = /^(?:create unique index \w+ on|insert into|alter table) (\w+)/.exec(text) ?? [];
  if (table !== undefined && made.includes(table)) return true;
  const [, actions] = /^alter table \w+ (add column .+)$/.exec(text) ?? [];
  if (actions === undefined) return false;
  return actions
    .split(/, (?=add |drop |alter |rename )/)
    .every((action) => action.startsWith("add column ") && (!/ not null/.test(action) || / default /.test(action)));
}

for (const [kind, migrations] of [
  ["PostgreSQL", postgresMigrations],
  ["SQLite", sqliteMigrations],
] as const) {
  test(`migrations of ${kind} only add, or say that older releases cannot live with them`, () => {
    for (const { version, name, sql } of migrations().filter((each) => each.version >= firstAdditive)) {
      assert.deepEqual(faultsOf(sql), [], `${version}-${name}`);
    }
  });
}

test("what takes something away from older releases is told from what only adds", () => {
  for (const text of [
    "drop table node;",
    "alter table node drop column load;",
    "alter table node add column a text not null;",
    "alter table node add column a text, drop column load;",
    "alter table node rename to nodes;",
    "create unique index a on node (id);",
    "update node set load = null;",
  ]) {
    assert.equal(faultsOf(text).length, 1, text);
  }
  assert.deepEqual(faultsOf("create table a (b text); create unique index c on a (b); insert into a values (1);"), []);
  assert.deepEqual(faultsOf("alter table node add column a text not null default '', add column b text;"), []);
  assert.deepEqual(faultsOf("-- why\nupdate meta set floor = 12; drop table node;"), []);
});

const addColumns = `
  select format('alter table leadhand.%I add column later text not null default ''kept''', relname) as add
  from pg_class
  where relnamespace = 'leadhand'::regnamespace
    and relkind in ('r', 'p')
    and not relispartition
    and relname <> 'migration'`;

test(
  "a server works on a database that a newer one has migrated, and keeps what it does not know",
  withPostgres,
  async () => {
    const database = await freshDatabase();
    assert.equal((await run(["migrate"], { DATABASE_URL: database })).code, 0);
    for (const row of await query(database, addColumns)) await query(database, (row as { add: string }).add);
    await query(database, "insert into leadhand.migration (version, name) values (999, 'later')");
    const scene = await restScene({ "database-url": database });
    const { url, admin } = scene;

    // A door of the newer release, with a worker of a profile that is unknown here, that has been silent for an hour.
    const strange = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5";
    const { body } = await admin.post("/workers", {});
    await query(database, "update leadhand.worker set id = $1, profile = 'telepathy' where id = $2", [
      strange,
      body.id,
    ]);
    await query(database, "update leadhand.session set worker = $1, seen_at = seen_at - 3600000 where worker = $2", [
      strange,
      body.id,
    ]);
    await query(database, "update leadhand.meta set catalog = catalog + 1");
    await query(database, "update leadhand.worker set catalog = (select catalog from leadhand.meta) where id = $1", [
      strange,
    ]);

    const job = "lab:modifiers:Rotate";
    const where = { url, token: admin.token };
    const client = clientOf(where);
    await hire(where, (worker) => worker.job(job, {}, async () => "done"), { link: "work" }).start();
    await query(database, "update leadhand.job set later = 'theirs'");
    const { id } = await client.submit(job, {});
    assert.equal((await client.wait(id, { timeoutMs: 20_000 })).status, "completed");
    const { schema } = (await admin.get(`/specs/${job}`)).body;
    assert.equal((await admin.put(`/specs/${job}`, { schema, queue: "other" })).status, 200);
    const kept = await query(database, "select later from leadhand.job where name = $1", [job]);
    assert.deepEqual(kept, [{ later: "theirs" }], "a row that is written again keeps what only the other knows");
    await until(
      "the strange worker is given up",
      async () => (await admin.get(`/workers/${strange}`)).body.state === "OFFLINE",
      10_000,
    );

    // What a newer server says on the bus.
    const strangeWords = [
      "elsewhere 1 0 1 {}",
      'elsewhere 2 0 1 {"messages":[["worker:x","dance"],["room:lab","[\\"new_event\\",{}]"]],"moods":["fine"]}',
      'elsewhere 3 0 1 {"messages":[["catalog"]]}',
      "elsewhere four",
      "",
    ];
    for (const words of strangeWords) await query(database, "select pg_notify('leadhand', $1)", [words]);
    const again = await client.submit(job, {});
    assert.equal((await client.wait(again.id, { timeoutMs: 20_000 })).status, "completed");
    assert.equal((await scene.send("GET", "/health/ready")).status, 200);
  },
);
