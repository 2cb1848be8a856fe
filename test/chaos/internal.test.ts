import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { killedBeforeDispatch, killedWhileRunning } from "./internal/killed-while.ts";
import { asker, withInternalJobs } from "./internal/stage.ts";
import { restServer } from "./rest/rest-server.ts";

test("internal tasks that were accepted run after a kill, dispatched or not, on SQLite", async (t) => {
  await killedBeforeDispatch(t, {});
});

test(
  "internal tasks that were accepted run after a kill, dispatched or not, on PostgreSQL",
  withPostgres,
  async (t) => {
    await killedBeforeDispatch(t, { databaseUrl: await freshDatabase() });
  },
);

test("an internal task whose server was killed runs again, and both starts are in its history, on SQLite", async () => {
  await killedWhileRunning({});
});

test(
  "a server without internal jobs takes tasks for one that has them, and another finishes what a killed one began",
  withPostgres,
  async () => {
    const databaseUrl = await freshDatabase();
    const door = await restServer({ databaseUrl });
    const first = await restServer({ databaseUrl, settings: withInternalJobs });
    const ask = asker(door);
    const echoed = (await ask.submit("Echo", { n: 1 })) as string;
    await ask.becomes(echoed, "completed");
    const running = (await ask.submit("Nap", { ms: 4_000 })) as string;
    await ask.becomes(running, "running");
    await first.kill();
    const second = await restServer({ databaseUrl, settings: withInternalJobs });
    await ask.becomes(running, "completed", 20_000);
    const { result, attempt } = await ask.task(running);
    assert.deepEqual([result, attempt], [{ attempt: 2 }, 2]);
    assert.deepEqual(await ask.history(running), [
      ...["submitted", "claimed", "started", "lost"],
      ...["claimed", "started", "completed"],
    ]);
    // One that is stopped in good order hands its tasks back at once, and nothing counts as lost.
    const waiting = (await ask.submit("Wait")) as string;
    await ask.becomes(waiting, "running");
    assert.equal(await second.stop(), 0);
    await until("it is handed back", async () => (await ask.task(waiting)).status === "pending");
    assert.equal((await ask.task(waiting)).losses, 0);
    await door.stop();
  },
);
