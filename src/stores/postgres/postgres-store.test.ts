import { after, describe } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { postgresSchemas } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import type { MakeStore } from "../../testing/store-contract/stage.ts";
import { storeContract } from "../../testing/store-contract.ts";
import { postgresStore } from "./postgres-store.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";

const schemas = postgresSchemas(url);

const makeStore: MakeStore = async () => {
  const schema = schemas.take();
  const open = () => postgresStore({ url, schema: schema.name, log: recordedLog(), clock: manualClock() });
  return { store: open(), second: async () => open(), dispose: () => schemas.giveBack(schema) };
};

describe("PostgreSQL", { skip }, () => {
  after(() => schemas.dropAll());
  storeContract("PostgreSQL store", makeStore);
});
