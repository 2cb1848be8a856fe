import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { caller } from "./rest/caller.ts";
import { claimAll } from "./rest/claimers.ts";
import { type RestServer, restServer } from "./rest/rest-server.ts";

/** Nobody beats here, and nobody is to be lost for it. */
const settings = { LEADHAND_WORKER_TIMEOUT_SECONDS: "60", LEADHAND_START_WITHIN: "60s" };

async function endsSound(server: RestServer): Promise<void> {
  assert.equal(await server.stop(), 0);
  const { code, out } = await server.command("verify");
  assert.equal(code, 0, out);
}

test("fifty claimers over HTTP get a thousand tasks, each exactly once", async () => {
  const server = await restServer({ settings });
  await claimAll([caller(server)]);
  await endsSound(server);
});

test(
  "fifty claimers at two servers on one PostgreSQL get a thousand tasks, each exactly once",
  withPostgres,
  async () => {
    const databaseUrl = await freshDatabase();
    const [one, two] = [await restServer({ databaseUrl, settings }), await restServer({ databaseUrl, settings })];
    await claimAll([caller(one), caller(two)]);
    assert.equal(await two.stop(), 0);
    await endsSound(one);
  },
);
