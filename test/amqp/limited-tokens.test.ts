// Consumers whose tokens are for some rooms, or some jobs, alone: what is hidden from them is not gone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { operationScene, store, storing } from "./operation-scene.ts";
import { skip } from "./scene.ts";

type Scene = Awaited<ReturnType<typeof operationScene>>;

/** A coordinator in a room of its own, whose job is everybody's. */
async function coordinatorIn(room: string, { server }: Scene, total: number): Promise<string> {
  const job = { category: "operations", name: "coordinate", schema: {} };
  const { body: worker } = await server.admin.post("/workers", {});
  await server.admin.put("/rooms/@global/jobs", { ...job, worker_id: worker.id });
  const { body: task } = await server.admin.post(`/rooms/${room}/tasks/@global:operations:coordinate`, { payload: {} });
  const { body: claimed } = await server.admin.post("/tasks/claim", { worker_id: worker.id, limit: 1, start: true });
  assert.equal(claimed.tasks[0]?.id, task.id);
  assert.equal((await server.admin.post(`/tasks/${task.id}/defer`, { total, attempt: 1 })).status, 200);
  return task.id;
}

test("messages of a coordinator in a room that their consumer may not see are run and counted", { skip }, async () => {
  const scene = await operationScene();
  const { server, queue, broker, message, consumer, is } = scene;
  const id = await coordinatorIn("annex", scene, 2);
  const { token, get } = await server.caller("batch", { rooms: ["@global"] });
  assert.equal((await get(`/tasks/${id}`)).status, 404);
  const runs: unknown[] = [];
  await consumer(storing(runs), { token });
  for (const index of [0, 1]) await broker.send(queue, message(id, index, { index }));
  await is(id, "completed");
  assert.equal(runs.length, 2);
});

test("who may not count on a coordinator leaves its messages to others, and does not work in vain", {
  skip,
}, async () => {
  const scene = await operationScene();
  const { server, queue, broker, message, consumer, is } = scene;
  const id = await coordinatorIn("annex", scene, 1);
  await server.admin.put("/rooms/@global/jobs", { category: "operations", name: "store", schema: {} });
  const { token, post } = await server.caller("limited", {
    rooms: ["@global"],
    jobs: [store, "@global:operations:ping"],
  });
  assert.equal((await post(`/tasks/${id}/count`, { marks: [] })).body.type, "/v1/problems/forbidden");
  const [vain, runs]: unknown[][] = [[], []];
  const limited = await consumer(storing(vain as unknown[]), { token });
  await broker.send(queue, message(id, 0));
  await until("it is left to others", () => limited.endings.length > 0, 10_000);
  await consumer(storing(runs as unknown[]));
  await is(id, "completed");
  assert.deepEqual(
    [vain?.length, runs?.length, new Set(limited.endings.map(({ ending }) => ending))],
    [0, 1, new Set(["released"])],
  );
});

test("an operation whose job is hidden from a consumer is left to one that knows it", { skip }, async () => {
  const { server, queue, broker, message, coordinator, consumer, is } = await operationScene();
  const id = await coordinator(1);
  await server.admin.put("/rooms/@global/jobs", { category: "operations", name: "store", schema: {} });
  const jobs = [store, "@global:operations:coordinate", "@global:operations:ping"];
  const { token } = await server.caller("old", { jobs });
  const old = await consumer(storing([]), { token });
  await broker.send(queue, message(id, 0, {}, "newer"));
  await until("it is left to others", () => old.endings.length > 0, 10_000);
  await consumer((worker) => void worker.job("@global:operations:newer", {}, () => undefined));
  await is(id, "completed");
});
