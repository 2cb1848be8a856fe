// The promise of a store, kept through a PgBouncer in transaction mode whose few server processes all connections share.

import { after, describe } from "node:test";
import { postgresStore } from "../../src/stores/postgres/postgres-store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { postgresSchemas } from "../../src/testing/postgres-schema.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import type { MakeStore } from "../../src/testing/store-contract/stage.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { postgresUrl } from "../fresh-database.ts";
import { pooled, withPooler } from "./pooler.ts";

const schemas = postgresSchemas(postgresUrl ?? "");

const makeStore: MakeStore = async () => {
  const { urlOf } = await pooled();
  const schema = schemas.take();
  const url = urlOf(postgresUrl ?? "");
  const open = () =>
    postgresStore({ url, pooler: true, schema: schema.name, log: recordedLog(), clock: manualClock() });
  return { store: open(), second: async () => open(), dispose: () => schemas.giveBack(schema) };
};

describe("behind a pooler", withPooler, () => {
  after(() => schemas.dropAll());
  storeContract("PostgreSQL store behind PgBouncer", makeStore, { histories: { limitMs: 2_000 } });
});
