import { test } from "node:test";
import { serverKilled } from "./work/server-killed.ts";

test("of a thousand tasks in flight none runs twice and none is lost when the server is killed (SQLite)", async (t) => {
  await serverKilled(t, {});
});
