// The two parties of everything that passes between people and workers, each at another server. Rooms of Socket.IO are in
// test/socketio/two-servers.test.ts, providers in test/rest/providers-postgres.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anInternalJob, fakeBroker } from "../../src/testing/fake-broker.ts";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { restScene } from "../rest/scene.ts";
import { clientOf, hire } from "../sdk/scene.ts";
import { claimed, pair, promptly, rarePulse, registerJob, submitted } from "./pair.ts";

test("what waits at one server hears at once of what is done at the other", withPostgres, async (t) => {
  const { here, there } = await pair(rarePulse);
  const { worker, path } = await registerJob(here.admin, "Poll");

  await t.test("a claim that waits gets a task that is submitted there", () =>
    promptly("a claim", async () => {
      const waiting = claimed(here.admin, worker, 15);
      await until("the claim waits", () => here.serving.operations.waitingClaims() === 1);
      const id = await submitted(there.admin, path);
      assert.equal((await waiting).id, id);
    }),
  );

  await t.test("whoever waits for a task, or follows it, sees its progress and its end", () =>
    promptly("the end of a task", async () => {
      const id = await submitted(there.admin, path);
      const client = clientOf({ url: here.url, token: here.admin.token });
      const states: string[] = [];
      const followed = (async () => {
        for await (const { status, progress } of client.watch(id)) {
          states.push(progress === null ? status : `${status} ${progress.current}`);
        }
      })();
      const ended = here.admin.get(`/tasks/${id}`, { prefer: "wait=15" });
      await until("both wait here", () => here.serving.operations.waits.waiting() === 1 && states.length > 0);
      const { lease_token } = await claimed(there.admin, worker, 15);
      await there.admin.patch(`/tasks/${id}`, { status: "running", lease_token });
      await there.admin.post(`/tasks/${id}/progress`, { current: 1, total: 2, lease_token });
      await until("its progress is seen", () => states.includes("running 1"), 15_000);
      await there.admin.patch(`/tasks/${id}`, { status: "completed", result: 1, lease_token });
      assert.equal((await ended).body.status, "completed");
      await followed;
      assert.equal(states.at(-1), "completed 1");
    }),
  );

  await t.test("a worker that beats here hears of a cancel there with the next answer", () =>
    promptly("a cancel", async () => {
      const id = await submitted(there.admin, path);
      await claimed(here.admin, worker, 15);
      await there.admin.post(`/tasks/${id}/cancel`);
      await until(
        "a heartbeat tells it",
        async () => (await here.admin.patch(`/workers/${worker}`)).body.cancel.includes(id),
        15_000,
      );
    }),
  );
});

test("a worker that is connected here is given, and stopped from, what comes in there", withPostgres, async () => {
  const { here, there } = await pair(rarePulse);
  const where = { url: here.url, token: here.admin.token };
  const aborted: unknown[] = [];
  const started: unknown[] = [];
  await hire(
    where,
    (worker) =>
      worker.job("lab:modifiers:Hold", {}, async (task) => {
        started.push(task.id);
        if ((task.input as { hold?: boolean }).hold !== true) return "done";
        await new Promise((resolve) => task.signal.addEventListener("abort", resolve, { once: true }));
        aborted.push(task.id);
        return null;
      }),
    { link: "work" },
  ).start();
  const client = clientOf({ url: there.url, token: there.admin.token });
  await promptly("an assignment", async () => {
    const { id } = await client.submit("lab:modifiers:Hold", {});
    assert.equal((await client.wait(id)).status, "completed");
  });
  await promptly("a cancel", async () => {
    const { id } = await client.submit("lab:modifiers:Hold", { hold: true });
    await until("it runs", () => started.includes(id), 30_000);
    await client.cancel(id);
    await until("its worker stops", () => aborted.includes(id), 30_000);
  });
});

test("a job that one server runs itself is done for those who ask at the other", withPostgres, async () => {
  const database = { ...rarePulse, "database-url": await freshDatabase() };
  const broker = fakeBroker([anInternalJob({ name: "@internal:modifiers:Add" })]);
  const here = await restScene(database, () => broker);
  const there = await restScene({ ...database, data: here.data });
  const { admin } = there;
  await promptly("an internal job", async () => {
    const { status, body, text } = await admin.post("/rooms/lab/tasks/@internal:modifiers:Add", { payload: {} });
    assert.equal(status, 202, text);
    await until("the other server runs it", () => broker.out.some(({ task }) => task === body.id), 30_000);
    assert.equal(await broker.begin(body.id), true);
    broker.end(body.id, { type: "completed", result: "3" });
    const ended = await admin.get(`/tasks/${body.id}`, { prefer: "wait=15" });
    assert.deepEqual([ended.body.status, ended.body.result], ["completed", 3]);
  });
});
