// Messages of tasks that a consumer may not have, in its own queue, with a real broker (LEADHAND_TEST_AMQP_URL) and a whole server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { consumerScene, rotate } from "./consumer-scene.ts";
import { proxy } from "./proxy.ts";
import { skip } from "./scene.ts";

/** A job that only a worker of another door has, and so many of its tasks, which the consumer of their queue is refused for a while. */
async function aScene(name: string, count: number) {
  const scene = await consumerScene();
  const { server, broker, queue, submit } = scene;
  const { body: other } = await server.admin.post("/workers", {});
  await server.admin.put("/rooms/@global/jobs", { category: "operations", name, worker_id: other.id, schema: {} });
  const foreign: string[] = [];
  for (let n = 0; n < count; n += 1) foreign.push(await submit({}, {}, `@global:operations:${name}`));
  let claims = 0;
  const url = await proxy(server.url, async (path) => {
    if (path === "/v1/tasks/claim") claims += 1;
  });
  await scene.consumer(rotate, { url });
  await broker.tell(queue, ...foreign);
  await until("all were refused, and asked for again and again", () => claims >= 4 * count, 20_000);
  return { ...scene, foreign, claims: () => claims };
}

test("a task starts at once although its queue has messages for others", { skip }, async () => {
  const { broker, queue, submit, status, foreign } = await aScene("for_another_door", 3);
  for (let angle = 0; angle < 3; angle += 1) {
    const mine = await submit({ angle });
    await broker.tell(queue, mine);
    await until("it is done", async () => (await status(mine)) === "completed", 3_000);
  }
  for (const id of foreign) assert.equal(await status(id), "pending");
});

test("messages for others alone cost the server few claims", { skip }, async () => {
  const { claims } = await aScene("for_another_door_alone", 3);
  const [before, since] = [claims(), performance.now()];
  await until("each was asked for once more", () => claims() >= before + 3, 20_000);
  const perSecond = 3_000 / (performance.now() - since);
  assert.ok(perSecond < 3, `${perSecond} in a second`);
});

test("an operation that only consumers of another queue have registered fails as unknown, and is not stuck", {
  skip,
}, async () => {
  const { broker, queue, submit, is, consumer, server } = await consumerScene();
  const elsewhere = await broker.queue();
  await consumer((worker) => worker.job("@global:operations:known_elsewhere", {}, () => null), { queue: elsewhere });
  await consumer(rotate);
  const id = await submit({}, {}, "@global:operations:known_elsewhere");
  await broker.tell(queue, id);
  await is(id, "failed");
  assert.equal((await server.admin.get(`/tasks/${id}`)).body.error_code, "UnknownOperation");
});
