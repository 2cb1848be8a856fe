import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { databaseName, databaseOf } from "./database.ts";

const embedded = { data: "./somewhere", databaseUrl: null, databaseListenUrl: null, databasePooler: false };

test("without a URL the database is a file in the data directory", () => {
  const database = databaseOf(embedded);
  assert.deepEqual(database, { kind: "sqlite", file: resolve("somewhere", "leadhand.db") });
  assert.equal(databaseName(database), resolve("somewhere", "leadhand.db"));
});

test("a URL means PostgreSQL, also for listening unless another way is given", () => {
  const url = "postgres://me:hunter2@host/db";
  const database = databaseOf({ ...embedded, databaseUrl: url });
  assert.deepEqual(database, { kind: "postgres", url, listenUrl: url, pooler: false });
  assert.equal(databaseName(database), "postgres://me:***@host/db");
  const round = databaseOf({ ...embedded, databaseUrl: url, databaseListenUrl: "postgres://direct/db" });
  assert.equal(round.kind === "postgres" && round.listenUrl, "postgres://direct/db");
});
