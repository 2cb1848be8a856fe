import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { restServer } from "./rest/rest-server.ts";
import { slowPost } from "./rest/slow-request.ts";
import { stopsInGoodOrder } from "./rest/stopping.ts";

const sentence = "told to stop under load answers what it has in hand, long polls too, and keeps every word";

test(`a server on SQLite that is ${sentence}`, async (t) => {
  await stopsInGoodOrder(t, {});
});

test(`a server on PostgreSQL that is ${sentence}`, withPostgres, async (t) => {
  await stopsInGoodOrder(t, { databaseUrl: await freshDatabase() });
});

test("a request that is never finished does not keep a server from stopping in good order", async () => {
  const server = await restServer({ settings: { LEADHAND_STOP_GRACE: "500ms" } });
  const slow = await slowPost({ ...server, path: "/workers", body: "{}" });
  assert.equal(await server.stop(), 0);
  await slow.ended;
});
