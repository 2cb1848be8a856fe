// How many requests, and the seed, may be given, as with SQLite.

import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { trial, withoutWaits } from "./generated/trial.ts";
import { restScene } from "./scene.ts";

const [count = 8_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);

// Half a minute alone; beside other tests it may take a whole one.
test(`on PostgreSQL too each of ${count} answers is as described`, { ...withPostgres, timeout: 150_000 }, async (t) =>
  trial(t, await restScene({ ...withoutWaits, "database-url": await freshDatabase() }), count, seed),
);
