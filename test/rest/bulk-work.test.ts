import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { type Body, history, lines, refused, the, type Workshop, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const user = await scene.caller("user");

/** A worker that hears of tasks from a message broker. */
async function consumer(shop: Workshop): Promise<string> {
  const { id } = the(201, await user.post("/workers", { profile: "amqp", name: "consumer" }));
  the(200, await user.put(`/rooms/${shop.room}/jobs`, { category: "modifiers", name: "Work", worker_id: id }));
  return id;
}

async function several(shop: Workshop, count: number): Promise<string[]> {
  const tasks = Array.from({ length: count }, () => ({ job: shop.job }));
  const { items } = the(202, await user.post(`/rooms/${shop.room}/tasks`, { tasks }));
  return items.map(({ id }: Body) => id);
}

const claim = (worker: string, ids: readonly string[], words: object = {}) =>
  user.post("/tasks/claim", { worker_id: worker, task_ids: ids, ...words });
const settle = (worker: string, results: readonly object[], who = user) =>
  who.post("/tasks/settle", { worker_id: worker, results });

test("a worker behind a broker says so, beats, and is told of commands", async () => {
  const { id } = the(201, await user.post("/workers", { profile: "amqp" }));
  const shown = the(200, await user.get(`/workers/${id}`));
  assert.deepEqual([shown.profile, shown.door, shown.state], ["amqp", "amqp", "ONLINE"]);
  the(200, await user.post(`/workers/${id}/pause`, {}));
  const { commands } = the(200, await user.patch(`/workers/${id}`));
  assert.deepEqual(
    commands.map(({ type }: Body) => type),
    ["pause"],
  );
  refused(await user.post("/workers", { profile: "push" }), 422, "invalid-request");
});

test("tasks are claimed by their ids: those that are there run at once, the others are left out", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const [one, two, three] = (await several(shop, 3)) as [string, string, string];
  the(200, await user.post(`/tasks/${two}/cancel`));
  const nobody = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";
  const answer = the(200, await claim(worker, [three, nobody, two, one.toUpperCase()]));
  assert.deepEqual(answer.tasks.map(({ id }: Body) => id).sort(), [one, three].sort());
  assert.equal(answer.task.id, answer.tasks[0].id);
  for (const task of answer.tasks) {
    assert.deepEqual([task.status, task.attempt, task.worker_id], ["running", 1, worker]);
    assert.equal(typeof task.lease_token, "string");
    assert.ok(Date.parse(task.lease_until) - Date.parse(task.started_at) >= 120_000);
  }
  assert.deepEqual(the(200, await claim(worker, [one, three])), { task: null, tasks: [], waiting: [] });
  assert.deepEqual(await history(admin, one), ["submitted", "assigned"]);
});

test("who may not see a task learns nothing of it by telling its result, and writes nothing into its history", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  const stranger = await scene.caller("stranger", { rooms: ["elsewhere"] });
  const { id: worker } = the(201, await stranger.post("/workers", { profile: "amqp" }));
  const { items } = the(200, await settle(worker, [{ id, attempt: 1, status: "failed", error: "x" }], stranger));
  assert.match(items[0].problem.type, /task-not-found$/);
  const events = the(200, await admin.get(`/tasks/${id}/events`));
  assert.equal(JSON.stringify(events).includes("refus"), false);
});

test("a claim by ids is for the worker's owner, with tokens for its jobs, and takes a hundred at most", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const ids = await several(shop, 1);
  const other = await scene.caller("other");
  refused(await other.post("/tasks/claim", { worker_id: worker, task_ids: ids }), 403, "forbidden");
  refused(await claim(worker, []), 422, "invalid-request");
  refused(await claim(worker, Array(101).fill(ids[0])), 422, "invalid-request");
  refused(await claim("01993d6c-7a10-7000-8000-3f5b6c1d2e3f", ids), 404, "worker-not-found");
  const key = { "idempotency-key": "once" };
  const body = { worker_id: worker, task_ids: ids };
  const first = the(200, await user.post("/tasks/claim", body, key));
  const again = the(200, await user.post("/tasks/claim", body, key));
  assert.deepEqual([again.task.id, again.task.lease_token], [first.task.id, first.task.lease_token]);
});

test("a claim by ids names those that are ready all the same, whoever may see them", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const [running, forOthers, delayed, mine] = [
    ...(await several(shop, 1)),
    the(202, await user.post(`/rooms/${shop.room}/tasks/${shop.job}`, { labels: { gpu: "a100" } })).id,
    the(202, await user.post(`/rooms/${shop.room}/tasks/${shop.job}`, { delay_seconds: 60 })).id,
    ...(await several(shop, 1)),
  ] as [string, string, string, string];
  the(200, await claim(worker, [running]));
  const nobody = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";
  const { tasks, waiting } = the(200, await claim(worker, [running, forOthers, delayed, mine, nobody]));
  assert.deepEqual([tasks.map(({ id }: Body) => id), waiting], [[mine], [forOthers]]);
  const elsewhere = await scene.caller("elsewhere", { rooms: ["elsewhere"] });
  const { id: other } = the(201, await elsewhere.post("/workers", { profile: "amqp" }));
  const answer = the(200, await elsewhere.post("/tasks/claim", { worker_id: other, task_ids: [forOthers, mine] }));
  assert.deepEqual([answer.tasks, answer.waiting], [[], [forOthers]]);
});

test("results of one worker are told together, and each stands for itself", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const ids = await several(shop, 5);
  the(200, await claim(worker, ids));
  const [done, failed, released, late, deferred] = ids as [string, string, string, string, string];
  const nobody = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";
  const results = [
    { id: done, attempt: 1, status: "completed", result: { sum: 12345678901234567890n.toString() } },
    { id: failed, attempt: 1, status: "failed", error: "no space", error_code: "NoSpace", error_details: { free: 0 } },
    { id: released, attempt: 1, status: "released", reason: "retry_later", delay_seconds: 60, checkpoint: { page: 7 } },
    { id: late, attempt: 7, status: "completed" },
    { id: nobody, attempt: 1, status: "completed" },
    { id: deferred, attempt: 1, status: "deferred", total: 2 },
    { id: deferred, attempt: 1, status: "deferred" },
  ];
  const { items } = the(200, await settle(worker, results));
  assert.deepEqual(
    items.map(({ id, ok, problem }: Body) => [id, ok, problem?.type ?? null]),
    [
      [done, true, null],
      [failed, true, null],
      [released, true, null],
      [late, false, "/v1/problems/lease-lost"],
      [nobody, false, "/v1/problems/task-not-found"],
      [deferred, true, null],
      [deferred, false, "/v1/problems/invalid-request"],
    ],
  );
  const get = async (id: string): Promise<Body> => the(200, await user.get(`/tasks/${id}`));
  assert.deepEqual((await get(done)).result, { sum: "12345678901234567890" });
  const bad = await get(failed);
  assert.deepEqual(
    [bad.status, bad.error, bad.error_code, bad.error_details],
    ["failed", "no space", "NoSpace", { free: 0 }],
  );
  const back = await get(released);
  assert.deepEqual([back.status, back.worker_id, back.run_at === null], ["pending", null, false]);
  assert.equal((await lines(admin, released, "released"))[0]?.data.reason, "retry_later");
  assert.equal((await get(late)).status, "running");
  assert.deepEqual([(await get(deferred)).worker_id, (await get(deferred)).children.total], [null, 2]);
});

test("the same result told again is one outcome, and another one is refused", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const [id, coordinator] = (await several(shop, 2)) as [string, string];
  the(200, await claim(worker, [id, coordinator]));
  const done = { id, attempt: 1, status: "completed", result: 1 };
  const left = { id: coordinator, attempt: 1, status: "deferred", total: 2 };
  for (let told = 0; told < 3; told += 1) {
    const { items } = the(200, await settle(worker, [done, left]));
    assert.deepEqual(
      items.map(({ ok }: Body) => ok),
      [true, true],
    );
  }
  assert.deepEqual(await history(admin, coordinator), ["submitted", "assigned", "deferred"]);
  const { items } = the(200, await settle(worker, [{ id, attempt: 1, status: "failed", error: "no" }]));
  assert.equal(items[0].problem.type, "/v1/problems/invalid-task-transition");
  assert.deepEqual(await history(admin, id), ["submitted", "assigned", "completed", "result_refused"]);
});

test("a result that the job's output schema refuses is refused alone", async () => {
  const shop = await workshop(user, { output: { type: "integer" } });
  const { id: worker } = the(201, await user.post("/workers", { profile: "amqp" }));
  const words = { category: "modifiers", name: "Work", output: { type: "integer" }, worker_id: worker };
  the(200, await user.put(`/rooms/${shop.room}/jobs`, words));
  const [good, bad] = (await several(shop, 2)) as [string, string];
  the(200, await claim(worker, [good, bad]));
  const { items } = the(
    200,
    await settle(
      worker,
      [good, bad].map((id) => ({ id, attempt: 1, status: "completed", result: id === good ? 1 : "x" })),
    ),
  );
  assert.deepEqual(
    items.map(({ ok }: Body) => ok),
    [true, false],
  );
  assert.equal(items[1].problem.type, "/v1/problems/invalid-request");
});

test("results are for the owner of the worker that brings them", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const [id] = (await several(shop, 1)) as [string];
  the(200, await claim(worker, [id]));
  const done = { id, attempt: 1, status: "completed" };
  refused(await settle(worker, [done], await scene.caller("stranger")), 403, "forbidden");
  refused(await settle("01993d6c-7a10-7000-8000-3f5b6c1d2e3f", [done]), 404, "worker-not-found");
  const { id: another } = the(201, await user.post("/workers", { profile: "amqp" }));
  const { items } = the(200, await settle(another, [done]));
  assert.equal(items[0].problem.type, "/v1/problems/lease-lost");
});

test("results of a worker that is gone come too late, and that is in the history", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const [id] = (await several(shop, 1)) as [string];
  the(200, await claim(worker, [id]));
  the(204, await user.delete(`/workers/${worker}`));
  const { items } = the(200, await settle(worker, [{ id, attempt: 1, status: "completed" }]));
  assert.equal(items[0].problem.type, "/v1/problems/lease-lost");
  assert.deepEqual(await history(admin, id), ["submitted", "assigned", "lost", "result_refused"]);
  refused(await claim(worker, [id]), 404, "worker-not-found");
});

test("the lease of a task that was claimed so is prolonged by its holder", async () => {
  const shop = await workshop(user);
  const worker = await consumer(shop);
  const [id] = (await several(shop, 1)) as [string];
  const { task } = the(200, await claim(worker, [id]));
  const usual = the(200, await user.post(`/tasks/${id}/extend`, { attempt: 1 }));
  assert.ok(Date.parse(usual.lease_until) > Date.parse(task.lease_until), "as long as at the beginning");
  const longer = the(200, await user.post(`/tasks/${id}/extend`, { seconds: 600, attempt: 1 }));
  assert.ok(Date.parse(longer.lease_until) > Date.parse(task.lease_until));
});
