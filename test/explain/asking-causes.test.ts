// Why a task is not running whose workers get what they ask for: by each such door, what is told is held against what
// the worker gets when it does ask.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aJob, aWorker, type FleetScene, fleetScene, minute, pinging, poll, second } from "../fleet/scene.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Loose = any;

async function explained(scene: FleetScene, id: string): Promise<Loose> {
  const { status, body } = await scene.admin.get(`/v1/tasks/${id}/explain`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** A worker of the REST door with a job of its own, and what it and its users do. */
async function restWorker(scene: FleetScene, about: object) {
  const { owner } = scene;
  const { id } = (await owner.post("/v1/workers", about)).body;
  const headers = { authorization: `Bearer ${owner.token}` };
  const body = JSON.stringify({ category: "modifiers", name: "Turn", worker_id: id });
  assert.equal((await fetch(`${scene.url}/v1/rooms/lab/jobs`, { method: "PUT", headers, body })).status, 201);
  return {
    id,
    claim: async (words: object = {}): Promise<Loose> =>
      (await owner.post("/v1/tasks/claim", { worker_id: id, limit: 1, ...words })).body.tasks,
    submit: async (): Promise<string> =>
      (await owner.post("/v1/rooms/lab/tasks/lab:modifiers:Turn", { payload: {} })).body.id,
    /** Time passes, and the worker beats. */
    async beating(ms: number) {
      for (let left = ms; left > 0; left -= 30 * second) {
        await scene.pass(Math.min(left, 30 * second));
        await fetch(`${scene.url}/v1/workers/${id}`, { method: "PATCH", headers });
      }
    },
  };
}

const limit = (scene: FleetScene, worker: string, value: number | null) =>
  scene.admin.post(`/v1/workers/${worker}/concurrency`, { value });

test("a worker of REST is not full by what it says of itself: it is given what it asks for", async () => {
  await using scene = await fleetScene();
  const { id: worker, submit, claim } = await restWorker(scene, { concurrency: 1 });
  const [first, second] = [await submit(), await submit()];
  assert.equal((await claim())[0].id, first);
  const { cause, facts } = await explained(scene, second);
  const [{ id, held, capacity, hindrance }] = facts.workers;
  assert.deepEqual([cause, id, held, capacity, hindrance], ["in-line", worker, 1, null, null]);
  assert.equal((await claim())[0].id, second, "it is true");
});

test("a worker of REST that an operator has limited is full, until the limit is taken back", async () => {
  await using scene = await fleetScene();
  const { id: worker, submit, claim } = await restWorker(scene, { concurrency: 4 });
  const [first, second] = [await submit(), await submit()];
  await limit(scene, worker, 1);
  assert.equal((await claim())[0].id, first);
  const { cause, facts } = await explained(scene, second);
  assert.deepEqual([cause, facts.workers[0].held, facts.workers[0].capacity], ["worker-full", 1, 1]);
  assert.deepEqual(await claim(), [], "it is true");
  await limit(scene, worker, null);
  assert.equal((await explained(scene, second)).cause, "in-line");
  assert.equal((await claim())[0].id, second);
});

test("a worker behind a broker is not full by what it says of itself: it claims whatever it hears of", async () => {
  await using scene = await fleetScene();
  const { submit, claim } = await restWorker(scene, { profile: "amqp", concurrency: 1 });
  const [first, second] = [await submit(), await submit()];
  assert.equal((await claim({ task_ids: [first] })).length, 1);
  const { cause, facts } = await explained(scene, second);
  assert.deepEqual([cause, facts.workers[0].capacity], ["in-line", null]);
  assert.equal((await claim({ task_ids: [second] }))[0].id, second, "it is true");
});

test("a worker of the fleet is not full by what it says of itself, but by an operator's limit", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await scene.owner.post("/workers/register", { uuid, name: "lab-1", concurrency: 1 });
  const [first, second, third] = [await aJob(scene.owner), await aJob(scene.owner), await aJob(scene.owner)];
  assert.equal((await poll(scene.owner, uuid)).jobs[0].id, first);
  const told = await explained(scene, second);
  assert.deepEqual([told.cause, told.facts.workers[0].capacity], ["in-line", null]);
  assert.equal((await poll(scene.owner, uuid)).jobs[0].id, second, "it is true");
  await limit(scene, uuid, 2);
  assert.equal((await explained(scene, third)).cause, "worker-full");
  assert.deepEqual((await poll(scene.owner, uuid)).jobs, [], "it is true");
});

test("a worker of the fleet that pings and does not poll is told of as one that has not asked", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await poll(scene.owner, uuid);
  const askedAt = new Date(scene.clock.now()).toISOString();
  const id = await aJob(scene.owner);
  assert.equal((await explained(scene, id)).cause, "in-line");
  await pinging(scene, uuid, 3 * minute);
  const { cause, sentence, facts } = await explained(scene, id);
  assert.deepEqual([cause, facts.workers[0].asked_at], ["not-asked", askedAt]);
  assert.match(sentence, /^The only worker .* \(lab-1\) could take it, and has not asked for work for 3 min$/);
  assert.equal((await poll(scene.owner, uuid)).jobs[0].id, id, "it is true");
});

test("a worker of REST that beats and does not claim is told of as one that has not asked, with what it holds", async () => {
  await using scene = await fleetScene();
  const { submit, claim, beating } = await restWorker(scene, { name: "press-1" });
  await submit();
  await claim();
  const id = await submit();
  await beating(2 * minute);
  const { cause, sentence } = await explained(scene, id);
  assert.equal(cause, "not-asked");
  assert.match(sentence, /\(press-1\) could take it, and has not asked for work for 2 min; it holds 1 task$/);
  assert.equal((await claim())[0].id, id, "it is true");
});

test("after its own start a server says of nobody that it has not asked, until it might have", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await scene.restart(90 * second);
  await scene.owner.post(`/workers/${uuid}/ping`);
  const { cause, facts } = await explained(scene, id);
  assert.deepEqual([cause, facts.workers[0].asked_at], ["in-line", null]);
  await pinging(scene, uuid, minute);
  const { sentence } = await explained(scene, id);
  assert.match(sentence, /has not asked for work for 1 min$/);
});
