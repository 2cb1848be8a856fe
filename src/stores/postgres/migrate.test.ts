import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { type PostgresSchema, postgresSchema } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { migrations } from "./migrate.ts";
import { postgresStore } from "./postgres-store.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";

test("migrations are numbered without a gap", () => {
  assert.deepEqual(
    migrations().map((migration) => migration.version),
    migrations().map((_, index) => index + 1),
  );
});

describe("PostgreSQL, at the start of a store", { skip }, () => {
  const example = (sentence: string, body: (schema: PostgresSchema) => Promise<void>) =>
    test(sentence, { timeout: 60_000 }, async () => {
      const schema = postgresSchema(url);
      try {
        await body(schema);
      } finally {
        await schema.drop();
      }
    });
  const storeOn = (schema: PostgresSchema, log = recordedLog()) =>
    postgresStore({ url, schema: schema.name, log, clock: manualClock() });

  example("any number of servers may start at once on an empty database", async (schema) => {
    const log = recordedLog();
    const stores = [1, 2, 3, 4].map(() => storeOn(schema, log));
    const infos = await Promise.all(stores.map((store) => store.start()));
    assert.equal(new Set(infos.map((info) => info.secret)).size, 1);
    assert.equal(infos[0]?.secret.length, 72);
    await Promise.all(stores.map((store) => store.stop()));
    const migrated = log.lines.filter((line) => line.message === "Database migrated");
    assert.equal(migrated.length, migrations().length, "each ran once");
  });

  example("a newer database that only has more than this release knows is used, and left as it is", async (schema) => {
    const store = storeOn(schema);
    await store.start();
    await store.stop();
    await schema.query("insert into migration (version, name) values (9999, 'later')");
    const log = recordedLog();
    const older = storeOn(schema, log);
    await older.start();
    await older.stop();
    assert.ok(log.lines.some((line) => line.message.startsWith("The database is newer than this release")));
    assert.equal((await schema.query("select from migration where version = 9999")).length, 1);
  });

  example("a newer database that this release cannot live with is refused, in words that help", async (schema) => {
    const store = storeOn(schema);
    await store.start();
    await store.stop();
    await schema.query("insert into migration (version, name) values (9999, 'later')");
    await schema.query("update meta set floor = 9999");
    await assert.rejects(storeOn(schema).start(), /is at version 9999; this release knows \d+\. Run the newer release/);
  });

  example("a schema with somebody else's tables is left alone", async (schema) => {
    await schema.query(`create schema ${schema.name}`);
    await schema.query("create table theirs (a integer)");
    await assert.rejects(storeOn(schema).start(), /holds tables that are not Leadhand's/);
    assert.equal(
      (await schema.query("select from pg_class where relnamespace = current_schema::regnamespace")).length,
      1,
    );
  });

  example("a migration that fails leaves nothing behind", async (schema) => {
    const store = storeOn(schema);
    await store.start();
    await store.stop();
    await schema.query("delete from migration where version = $1", [migrations().at(-1)?.version]);
    await assert.rejects(storeOn(schema).start(), /already exists/);
    assert.equal((await schema.query("select from migration")).length, migrations().length - 1);
  });
});
