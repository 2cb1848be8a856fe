import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { codeOf } from "./failure.ts";
import { ask, unprepared } from "./statement.ts";

const url = testDatabaseUrl();

test("what fails because of another statement says what that said", {
  skip: url === undefined && "LEADHAND_TEST_DATABASE_URL is not set",
}, async () => {
  const client = new Client({ connectionString: url as string, pipeline: true });
  await client.connect();
  const [, first, second] = await Promise.allSettled([
    client.query("begin"),
    ask(client, unprepared("select 1 / 0")),
    ask(client, unprepared("select 2")),
    client.query("rollback"),
  ]);
  for (const each of [first, second]) assert.equal(each?.status === "rejected" && codeOf(each.reason), "22012");
  await client.end();
});
