import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Client } from "pg";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { codeOf } from "./failure.ts";
import { ask, unprepared } from "./statement.ts";

const url = testDatabaseUrl();

test("every statement has a name of its own, for a connection takes a second one for a mistake", () => {
  const files = globSync("*.ts", { cwd: import.meta.dirname }).filter((file) => !file.endsWith(".test.ts"));
  const texts = files.map((file) => readFileSync(new URL(file, import.meta.url), "utf8"));
  const names = texts.flatMap((text) => [...text.matchAll(/^\s+name: "(\w+)",$/gm)].map(([, name]) => name));
  assert.ok(names.length > 20);
  const twice = names.filter((name, nth) => names.indexOf(name) !== nth);
  assert.deepEqual(twice, []);
});

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
