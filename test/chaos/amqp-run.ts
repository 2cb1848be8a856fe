// `npm run chaos:amqp -- --rounds 50 --seed 1`: every fault so often, half of the rounds on SQLite and half on PostgreSQL, side
// by side. The same once is amqp-sqlite.test.ts and amqp-postgres.test.ts.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { parseArgs } from "node:util";
import { amqpRun } from "./amqp/run.ts";
import { newSeed } from "./chance.ts";
import { privatePostgres } from "./private-postgres.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "50" }, seed: { type: "string", default: `${newSeed()}` } },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];

const own = await privatePostgres();
after(() => own?.postgres.stop());

describe("whatever the broker loses, doubles or delays, each task has one end", {
  concurrency: true,
  timeout: 3_600_000,
}, () => {
  test("on SQLite", async (t) => {
    await amqpRun(t, { rounds: Math.ceil(rounds / 2), minute: true, how: "kill", seed });
  });
  test("on PostgreSQL", async (t) => {
    assert.ok(own !== undefined, "PostgreSQL is needed");
    await amqpRun(t, {
      ...{ databaseUrl: own.postgres.url, rounds: Math.floor(rounds / 2), minute: true, how: "down", seed: seed + 1 },
    });
  });
});
