import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { killedOnBothSides } from "./sdk/load.ts";

const sentence = "with server and workers of the SDK killed again and again, each task comes to one end (PostgreSQL)";

test(sentence, withPostgres, async (t) => {
  await killedOnBothSides(t, { databaseUrl: await freshDatabase() });
});
