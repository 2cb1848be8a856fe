import assert from "node:assert/strict";
import { test } from "node:test";
import { aSlice, aTask, taskId } from "../../testing/builders.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { postgresSchema } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { complete, stageOn } from "../../testing/store-contract/stage.ts";
import { postgresStore } from "./postgres-store.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";

test("what is noted of tasks that have ended goes in one call, however much, and what is noted of others stays", {
  ...{ skip, timeout: 60_000 },
}, async () => {
  const schema = postgresSchema(url);
  const store = postgresStore({ url, schema: schema.name, log: recordedLog(), clock: manualClock() });
  try {
    await store.start();
    const stage = stageOn(store);
    const lane = await stage.begin();
    await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
    await store.confirm(
      [1, 2].map((n) => ({ task: taskId(n), version: 1 })),
      7,
    );
    await schema.query("insert into message select gen_random_uuid(), 1, 7 from generate_series(1, 12000)");
    await stage.settle(await stage.claim(lane, { assign: true }), [complete]);
    assert.equal(await store.prune(aSlice({ tasks: [taskId(9)] })), 0);
    assert.equal((await schema.query("select from message")).length, 12_002, "a task that is named is all that goes");
    assert.equal(await store.prune(aSlice()), 0, "they are not counted");
    assert.deepEqual(await schema.query("select task, version from message"), [{ task: taskId(2), version: 1 }]);
  } finally {
    await store.stop();
    await schema.drop();
  }
});
