import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import { manualClock } from "../../testing/manual-clock.ts";
import { postgresSchema } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { stageOn } from "../../testing/store-contract/stage.ts";
import { postgresStore } from "./postgres-store.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";

describe("PostgreSQL, when many ask what takes long", { skip }, () => {
  test("what has changed of the catalog is told all the same", { timeout: 60_000 }, async () => {
    const schema = postgresSchema(url);
    const store = postgresStore({ url, schema: schema.name, log: recordedLog(), clock: manualClock() });
    const blocker = new Client({ connectionString: url });
    await store.start();
    await blocker.connect();
    try {
      const stage = stageOn(store);
      await stage.begin();
      await stage.worker(2);
      await blocker.query(`begin; lock table ${schema.name}.audit in access exclusive mode`);
      const long = Array.from({ length: 16 }, () => store.read("audit", { limit: 1, offset: 0 }));
      const { revision, workers } = await store.read("catalog", { after: 1 });
      assert.ok(revision > 1);
      assert.ok(workers.length > 0);
      await blocker.query("rollback");
      await Promise.all(long);
    } finally {
      await blocker.end();
      await store.stop();
      await schema.drop();
    }
  });
});
