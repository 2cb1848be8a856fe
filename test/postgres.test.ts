import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import pg from "pg";
import { NoPostgres, type Postgres, startPostgres } from "../tools/postgres.ts";

test("a private PostgreSQL is durable, can be crashed and restarted, and leaves nothing behind", async (t) => {
  const postgres = await startOrSkip();
  if (postgres === undefined) return t.skip("no PostgreSQL");
  try {
    await query(postgres, "create table kept as select 1 as one");
    assert.deepEqual(await query(postgres, "show fsync"), [{ fsync: "on" }]);

    await postgres.restart("immediate");
    assert.deepEqual(await query(postgres, "select one from kept"), [{ one: 1 }]);

    await postgres.down();
    await assert.rejects(query(postgres, "select 1"));
    await postgres.up();
    assert.deepEqual(await query(postgres, "select one from kept"), [{ one: 1 }]);
  } finally {
    await postgres.stop();
    await postgres.stop();
  }
  assert.equal(existsSync(postgres.control.folder), false);
});

async function startOrSkip(): Promise<Postgres | undefined> {
  try {
    return await startPostgres();
  } catch (error) {
    if (!(error instanceof NoPostgres)) throw error;
    return undefined;
  }
}

async function query(postgres: Postgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
