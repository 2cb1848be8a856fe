import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { restScene } from "./scene.ts";
import { type Body, history, the, workshop } from "./workshop.ts";

const hundreds = [...Array(10).keys()];

test("two servers count on one coordinator and hand out tasks by id, each of them once", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  const here = await restScene(flags);
  const there = await restScene(flags);
  const user = await here.caller("user");
  const send = (scene: typeof here, path: string, body: object) =>
    scene.send("POST", `/v1${path}`, { token: user.token, body: JSON.stringify(body) });
  const shop = await workshop(user);
  const { id, lease_token } = await shop.running();
  the(200, await user.post(`/tasks/${id}/defer`, { total: 10_000, lease_token }));

  const marks = (n: number) => Array.from({ length: 1_000 }, (_, i) => ({ index: 1_000 * n + i, status: "done" }));
  const calls = [here, there].flatMap((scene) =>
    hundreds.map((n) => send(scene, `/tasks/${id}/count`, { marks: marks(n) })),
  );
  for (const answer of await Promise.all(calls)) the(200, answer);
  const task = the(200, await user.get(`/tasks/${id}`));
  assert.deepEqual([task.status, task.children], ["completed", { total: 10_000, done: 10_000, failed: 0 }]);
  const told = await history(user, id);
  assert.ok(told.filter((type) => type === "counted").length <= 20);

  const tasks = hundreds.map(() => ({ job: shop.job }));
  const { items } = the(202, await user.post(`/rooms/${shop.room}/tasks`, { tasks }));
  const ids = items.map((item: Body) => item.id);
  const { id: worker } = the(201, await user.post("/workers", { profile: "amqp" }));
  const link = { category: "modifiers", name: "Work", worker_id: worker };
  the(200, await user.put(`/rooms/${shop.room}/jobs`, link));
  const words = { worker_id: worker, task_ids: ids };
  const claims = await Promise.all([here, there].map((scene) => send(scene, "/tasks/claim", words)));
  const claimed = claims.flatMap((answer) => the(200, answer).tasks.map((each: Body) => each.id));
  assert.deepEqual(claimed.sort(), ids.sort());
  for (const each of ids) assert.deepEqual(await history(user, each), ["submitted", "assigned"]);
  const results = ids.map((each: string) => ({ id: each, attempt: 1, status: "completed", result: 1 }));
  const settled = the(200, await send(there, "/tasks/settle", { worker_id: worker, results }));
  assert.ok(settled.items.every(({ ok }: Body) => ok));
});

test("a request that two servers are asked at once counts once", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  const scenes = [await restScene(flags), await restScene(flags)];
  const user = await (scenes[0] as (typeof scenes)[number]).caller("user");
  const shop = await workshop(user);
  const { id, lease_token } = await shop.running();
  the(200, await user.post(`/tasks/${id}/defer`, { total: 100, lease_token }));
  const body = JSON.stringify({ marks: [{ status: "done" }] });
  for (const round of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    const ask = { token: user.token, body, headers: { "idempotency-key": `round ${round}` } };
    const answers = scenes.flatMap((scene) => [1, 2].map(() => scene.send("POST", `/v1/tasks/${id}/count`, ask)));
    for (const answer of await Promise.all(answers)) assert.equal(the(200, answer).done, round);
  }
});
