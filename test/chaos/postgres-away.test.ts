import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Cut, cuttingProxy } from "../../src/testing/cutting-proxy.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";
import { underLoad } from "./running.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

test("a database that is restarted, politely or by a crash, costs nobody more than time", { skip }, async (t) => {
  const { postgres } = own;
  await underLoad(t, { url: postgres.url, schema: own.schema() }, async ({ goesOn }) => {
    for (const mode of ["fast", "immediate", "fast", "immediate"] as const) {
      await postgres.restart(mode);
      await goesOn();
    }
  });
});

test("callers that cannot wait for a database are told to come back, and find nothing done by halves", {
  skip,
}, async (t) => {
  const { postgres } = own;
  await underLoad(t, { url: postgres.url, schema: own.schema(), waitMs: 200 }, async ({ goesOn, turnedAway }) => {
    for (const mode of ["immediate", "fast"] as const) {
      await postgres.down(mode);
      await turnedAway("store-unavailable");
      await postgres.up();
      await goesOn();
    }
  });
});

test("server processes that are ended one after the other take no work with them", { skip }, async (t) => {
  await underLoad(t, { url: own.postgres.url, schema: own.schema() }, async ({ chance }) => {
    const client = new pg.Client({ connectionString: own.postgres.url });
    await client.connect();
    try {
      for (let round = 0; round < 150; round += 1) {
        await client.query(endOne, [chance.fraction()]);
        await pause(chance.between(5, 40));
      }
    } finally {
      await client.end();
    }
  });
});

const cuts: readonly Cut[] = ["request", "midway", "answer"];
const anything = "";

const endOne = `
  select pg_terminate_backend(pid)
  from pg_stat_activity
  where application_name like 'leadhand%'
  order by hashtext(pid::text || $1::text)
  limit 1`;

test("a connection that is cut at any moment, at the commit too, leaves every caller with the truth", {
  skip,
}, async (t) => {
  const proxy = await cuttingProxy(own.postgres.url);
  try {
    await underLoad(t, { url: proxy.url, schema: own.schema() }, async ({ chance }) => {
      for (let round = 0; round < 120; round += 1) {
        proxy.cut(chance.oneOf(cuts) as Cut, chance.happens(0.3) ? "commit" : anything);
        await pause(chance.between(5, 60));
      }
    });
  } finally {
    await proxy.stop();
  }
});
