// Why a task is not running: what lies in the workers that have its job.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { run } from "../leadhand-process.ts";
import { explainScene } from "./explain-scene.ts";

const scene = await explainScene();
const { admin, job, spec, submit, claim, pause, tells, expecting, operations } = scene;

test("a task that nobody has the job for says so, and when the last one was seen that had it", async () => {
  const { job: name, worker } = await job("Orphan");
  const none = await submit(await spec("nobody"));
  await tells(none, "no-worker", /^No worker serves job '@global:specs:nobody'; none is remembered$/);
  const id = await submit(name);
  expecting(204, await admin.delete(`/workers/${worker}`));
  const { facts } = await tells(id, "no-worker", /^No worker serves job '.*Orphan'; the last was seen at 20/);
  const gone = expecting(200, await admin.get(`/workers/${worker}`));
  assert.deepEqual([facts.last_seen_at, gone.about], [gone.seen_at, {}]);
});

test("a task whose workers all have another version says which workers", async () => {
  const { job: name, worker } = await job("Versioned", { worker: { name: "press-1" } });
  const id = await submit(name);
  const { checksum } = expecting(200, await admin.put(`/specs/${name}`, { schema: { title: "newer" } }));
  const { facts } = await tells(id, "worker-checksum", /^The only worker of job '.*Versioned' \(press-1\) has another/);
  assert.deepEqual([facts.workers[0].id, facts.workers[0].hindrance], [worker, "checksum"]);
  assert.match(facts.workers[0].checksum, /^sha256:/);
  assert.equal(facts.checksum, checksum);
  assert.notEqual(facts.workers[0].checksum, checksum);
});

test("a task that asks for a label nobody carries says so", async () => {
  const { job: name } = await job("Labelled", { worker: { labels: { gpu: "no" } } });
  const id = await submit(name, { labels: { gpu: "yes" } });
  const { facts } = await tells(id, "worker-labels", /^The only worker .* lacks a label that it asks for: gpu=yes$/);
  assert.deepEqual([facts.workers[0].labels, facts.labels], [{ gpu: "no" }, { gpu: "yes" }]);
  const environment = { LEADHAND_URL: scene.url, LEADHAND_TOKEN: admin.token };
  assert.match((await run(["explain", id], environment)).out, /^asks for +gpu=yes$/m);
});

test("a task in a queue that nobody takes says so", async () => {
  const { job: name } = await job("Slow", { worker: { queues: ["fast"] } });
  const id = await submit(name, { queue: "slow" });
  await tells(id, "worker-queue", /^The only worker .* does not take queue 'slow'$/);
});

test("a task whose worker somebody has paused says who, and why", async () => {
  const { job: name, worker } = await job("Held", { worker: { name: "press-2" } });
  const id = await submit(name);
  await pause({ kind: "worker", name: worker });
  const sentence = /^The only worker of job '.*Held' \(press-2\) is paused by eve: a flood$/;
  const { facts } = await tells(id, "worker-paused", sentence);
  assert.equal(facts.workers[0].pause.by, "eve");
  assert.equal(await claim(worker), null, "it is true");
});

test("a task whose workers have not been heard of for long says that they are out of reach", async () => {
  const name = await spec("far");
  const jobs = new Map([[name, null]]);
  await operations.workers.register({ profile: "fleet", owner: "admin", name: "island", jobs });
  await tells(await submit(name), "worker-unreachable", /^The only worker .* \(island\) is out of reach$/);
});

test("a task whose workers have as much as they take says that they are full", async () => {
  const name = await spec("narrow");
  const { worker, id: holder } = await scene.connect("narrow", { name: "one-handed", concurrency: 1 }, { ready: 1 });
  worker.keepBeating();
  const [first, second] = [await submit(name), await submit(name)];
  await until("it has one", async () => (await admin.get(`/tasks/${first}`)).body.worker_id === holder);
  const { facts } = await tells(second, "worker-full", /^The only worker .* \(one-handed\) is full$/);
  assert.deepEqual([facts.workers[0].held, facts.workers[0].capacity], [1, 1]);
});

test("a task whose workers are about to end says that they are draining", async () => {
  const name = await spec("leaving");
  const { worker } = await scene.connect("leaving", { name: "tired" });
  worker.keepBeating({ state: "draining" });
  worker.beat({ state: "draining" });
  await tells(await submit(name), "worker-draining", /^The only worker .* \(tired\) is draining$/);
});

test("a task whose workers beat and do not read says that they do not hear", async () => {
  const name = await spec("loud");
  const { worker } = await scene.connect("loud", { name: "deaf-1", capabilities: { echo: true } }, { ready: 1 });
  worker.keepBeating({ ready: 1 });
  await until(
    "it is known to be deaf",
    async () => {
      const { items } = expecting(200, await admin.get("/workers?limit=500"));
      const { id } = items.find((each: { name: string }) => each.name === "deaf-1");
      return (await admin.get(`/workers/${id}`)).body.deaf === true;
    },
    10_000,
  );
  await tells(await submit(name), "worker-deaf", /^The only worker .* \(deaf-1\) does not hear the server$/);
});

test("where workers have reasons of their own, those that are nearest count, and all are listed", async () => {
  const { job: name, worker } = await job("Mixed", { worker: { name: "near" } });
  const { id: far } = expecting(201, await admin.post("/workers", { name: "far", queues: ["other"] }));
  expecting(200, await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Mixed", worker_id: far }));
  const id = await submit(name);
  await pause({ kind: "worker", name: worker }, { note: null });
  const { facts } = await tells(id, "worker-paused", /^Of 2 workers of job '.*Mixed' 1 \(near\) is paused by eve$/);
  const seen = facts.workers.map((each: { name: string; hindrance: string }) => [each.name, each.hindrance]);
  assert.deepEqual(seen, [
    ["near", "paused"],
    ["far", "queue"],
  ]);
});

test("who may not see the task is not told, and who may not see its workers sees only that they are there", async () => {
  const { job: name } = await job("Private", { worker: { name: "secret-press", labels: { rack: "7" } } });
  const id = await submit(name, { labels: { rack: "9" } });
  const lab = await scene.caller("lab", { rooms: ["lab"], jobs: ["lab:*"] });
  const told = expecting(200, await lab.get(`/tasks/${id}/explain`));
  assert.equal(told.sentence, `The only worker of job '${name}' lacks a label that it asks for: rack=9`);
  const [{ id: hidden, name: itsName, labels }] = told.facts.workers;
  assert.deepEqual([hidden, itsName, labels], [null, null, {}]);
  expecting(202, await admin.post(`/rooms/shed/tasks/${name}`, { payload: {} }));
  const elsewhere = (await admin.get("/rooms/shed/tasks")).body.items[0].id;
  assert.equal((await lab.get(`/tasks/${elsewhere}/explain`)).body.type, "/v1/problems/task-not-found");
  assert.equal((await scene.stranger.get(`/tasks/${id}/explain`)).status, 401);
});

test("who may not see a task's workers hears that they are paused, and not by whom or why", async () => {
  const { job: name, worker } = await job("Discreet", { worker: { name: "quiet-press" } });
  const id = await submit(name);
  await pause({ kind: "worker", name: worker });
  const lab = await scene.caller("lab", { rooms: ["lab"], jobs: ["lab:*"] });
  const told = expecting(200, await lab.get(`/tasks/${id}/explain`));
  assert.deepEqual([told.cause, told.sentence], ["worker-paused", `The only worker of job '${name}' is paused`]);
  const [{ hindrance, pause: itsPause, checksum }] = told.facts.workers;
  assert.deepEqual([hindrance, itsPause, checksum], ["paused", null, null]);
});

test("what is no id, or names no task, is refused at the command line", async () => {
  const environment = { LEADHAND_URL: scene.url, LEADHAND_TOKEN: admin.token };
  assert.equal((await run(["explain", "seven"], environment)).code, 2);
  const unknown = await run(["explain", "01993d6c-7a10-7000-8000-3f5b6c1d2e3f"], environment);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /task-not-found/);
});
