import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { serverKilled } from "./work/server-killed.ts";

const sentence =
  "of a thousand tasks in flight none runs twice and none is lost when the server is killed (PostgreSQL)";

test(sentence, withPostgres, async (t) => {
  await serverKilled(t, { databaseUrl: await freshDatabase() });
});
