// What handlers may say beside their results, by whatever link.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkerOptions } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { clientOf, hire } from "./scene.ts";

const scene = await restScene();
const where = { url: scene.url, token: scene.admin.token };
const client = clientOf(where);
const name = (link: string): string => `@global:modifiers:Coordinate-${link}`;

async function hired(link: WorkerOptions["link"]) {
  return hire(
    where,
    (worker) =>
      worker.job(name(String(link)), {}, (task) => {
        task.emit("coordinate.began", "off we go", { batches: 2, _progress_current: 1, _progress_total: 4 }, "warning");
        task.defer({ total: (task.input as { total: number }).total });
        return { answered: true };
      }),
    { link },
  ).start();
}

test("a task that is deferred by requests stays open for its children; deferred to none it is done", async () => {
  const { endings } = await hired("rest");
  const { id } = await client.submit(name("rest"), { total: 2 });
  await until("its handler has ended", () => endings.length === 1);
  assert.equal(endings[0]?.ending, "deferred");
  const open = await client.get(id);
  assert.equal(open.status, "running");
  const none = await client.submit(name("rest"), { total: 0 });
  await until("its handler has ended too", () => endings.length === 2);
  assert.equal((await client.get(none.id)).status, "completed");
});

test("over /work a task is deferred as by requests, and its events are lines of its log", async () => {
  const { endings } = await hired("work");
  const { id } = await client.submit(name("work"), { total: 2 });
  await until("its handler has ended", () => endings.length === 1);
  assert.equal(endings[0]?.ending, "deferred");
  const { status, children } = (await scene.admin.get(`/tasks/${id}`)).body;
  assert.deepEqual([status, children.total], ["running", 2]);
  const marks = [0, 1].map((index) => ({ index, status: "done" }));
  await scene.admin.post(`/tasks/${id}/count`, { marks });
  assert.equal((await client.get(id)).status, "completed");
  const { body } = await scene.admin.get(`/tasks/${id}/logs`);
  const [line] = body.items;
  assert.deepEqual([line?.level, /coordinate\.began off we go/.test(line?.message)], ["warn", true]);
  const none = await client.submit(name("work"), { total: 0 });
  await until("its handler has ended too", () => endings.length === 2);
  assert.equal((await client.get(none.id)).status, "completed");
});

test("over /work a deferral to a queue that is none of a broker's fails its task, and says why", async () => {
  const job = "@global:modifiers:Astray";
  const messages = [{ queue: "nowhere", operation: "store", payload: {} }];
  await hire(where, (worker) => worker.job(job, {}, (task) => task.defer({ messages })), { link: "work" }).start();
  const { id } = await client.submit(job, {});
  await until("it has failed", async () => (await client.get(id)).status === "failed");
  assert.match(String((await client.get(id)).error), /is 'nowhere', which is not a queue of operations/);
});

test("a deferral that cannot be is refused before anything is told", async () => {
  const worker = hire(where, (hired) =>
    hired.job(name("bad"), {}, ({ defer }) => defer({ messages: [{ queue: "q", operation: "", payload: {} }] })),
  );
  await worker.start();
  const { id } = await client.submit(name("bad"), {});
  await until("its handler has ended", () => worker.endings.length === 1);
  assert.match(String((await client.get(id)).error), /lacks its queue or its operation/);
});
