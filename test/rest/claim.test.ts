import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "./scene.ts";
import { type Body, history, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const user = await scene.caller("user");
const clock = systemClock();
const nobodysId = "01993d6c-7a10-7000-8000-000000000000";

const waitingClaims = () => scene.serving.operations.waitingClaims();

const claim = (worker_id: string, words: object = {}, headers = {}) =>
  user.post("/tasks/claim", { worker_id, ...words }, headers);

test("a claimed task is told whole, with its lease; where nothing waits the answer is null", async () => {
  const shop = await workshop(user);
  const submitted = await shop.submit({ payload: { n: 1 } });
  const answer = await claim(shop.worker);
  assert.equal(answer.headers.get("preference-applied"), null);
  assert.deepEqual(Object.keys(the(200, answer)), ["task"]);
  const { lease_token, lease_until, checkpoint, ...task } = answer.body.task;
  const changed = { status: "claimed", worker_id: shop.worker, attempt: 1 };
  assert.deepEqual(task, { ...submitted, ...changed, queue_position: null, queue_position_exact: null });
  assert.match(lease_token, /^[\w-]{43}$/);
  assert.ok(Date.parse(lease_until) > Date.parse(task.created_at));
  assert.equal(checkpoint, null);
  assert.deepEqual(the(200, await claim(shop.worker)), { task: null });
});

test("a worker without a job, or with nothing to do, gets null at once", async () => {
  const { id } = the(201, await user.post("/workers"));
  assert.deepEqual(the(200, await claim(id)), { task: null });
  assert.deepEqual(the(200, await claim(id, { limit: 5 })), { task: null, tasks: [] });
});

test("only a worker's owner claims for it: unknown is 404, another's is 403, also for a superuser", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  refused(await admin.post("/tasks/claim", { worker_id: nobodysId }), 404, "worker-not-found");
  refused(await admin.post("/tasks/claim", { worker_id: shop.worker }), 403, "forbidden");
  refused(await admin.post(`/tasks/${id}/claim`, { worker_id: shop.worker }), 403, "forbidden");
  refused(await scene.stranger.post("/tasks/claim", { worker_id: shop.worker }), 401, "unauthorized");
  for (const body of [{}, { worker_id: "seven" }, { worker_id: null }, []]) {
    refused(await user.post("/tasks/claim", body), 422, "invalid-request");
  }
  for (const limit of [0, 101, 1.5, "1", null]) {
    refused(await claim(shop.worker, { limit }), 422, "invalid-request");
  }
  assert.equal(the(200, await claim(shop.worker.toUpperCase())).task.id, id);
  the(204, await user.delete(`/workers/${shop.worker}`));
  refused(await claim(shop.worker), 404, "worker-not-found");
});

test("a worker gets the oldest of all jobs it is linked to, whatever room they are for, the urgent first", async () => {
  const shops = [await workshop(user), await workshop(user)] as const;
  const [one, two] = shops;
  the(201, await admin.put("/rooms/@global/jobs", { category: "analysis", name: "Count" }));
  const link = { category: "modifiers", name: "Work", worker_id: one.worker };
  the(200, await user.put(`/rooms/${two.room}/jobs`, link));
  const ids = [];
  for (const shop of [one, two, two, one, two]) ids.push((await shop.submit()).id);
  ids.push(the(202, await user.post(`/rooms/far-away/tasks/${two.job}`, {})).id);
  const urgent = await two.submit({ priority: 1 });
  const unlinked = await user.post("/rooms/far-away/tasks/@global:analysis:Count", { priority: 9 });
  the(202, unlinked);
  const claimed = [];
  for (let n = 0; n < 7; n += 1) claimed.push((await one.claim()).id);
  assert.deepEqual(claimed, [urgent.id, ...ids]);
  assert.equal(the(200, await claim(one.worker)).task, null);
});

test("a limit asks for several at once, oldest first, and the answer has all of them", async () => {
  const shop = await workshop(user);
  const ids = [];
  for (let n = 0; n < 5; n += 1) ids.push((await shop.submit()).id);
  const some = the(200, await claim(shop.worker, { limit: 3 }));
  assert.deepEqual(
    some.tasks.map(({ id }: Body) => id),
    ids.slice(0, 3),
  );
  assert.deepEqual(some.task, some.tasks[0]);
  assert.equal(new Set(some.tasks.map(({ lease_token }: Body) => lease_token)).size, 3);
  assert.equal(the(200, await claim(shop.worker, { limit: 100 })).tasks.length, 2);
});

test("what runs inside the server is never handed out", async () => {
  const registered = the(201, await admin.put("/rooms/@internal/jobs", { category: "analysis", name: "Inside" }));
  const { worker_id } = registered;
  const words = { job: "@internal:analysis:Inside", room: "lab", payload: "{}" };
  const [task] = await scene.serving.operations.submit([words]);
  const path = `/tasks/${task?.card.id}`;
  assert.equal((await admin.post("/tasks/claim", { worker_id })).body.task, null);
  refused(await admin.post(`${path}/claim`, { worker_id }), 409, "invalid-task-transition");
  assert.equal(the(200, await admin.get(path)).status, "pending");
});

test("30 claims by one worker at once on 20 tasks give 20 tasks and 10 nulls", async () => {
  const shop = await workshop(user);
  await Promise.all(Array.from({ length: 20 }, () => shop.submit()));
  const answers = await Promise.all(Array.from({ length: 30 }, () => claim(shop.worker)));
  const tasks = answers.map((answer) => the(200, answer).task);
  assert.equal(tasks.filter((task) => task === null).length, 10);
  assert.equal(new Set(tasks.flatMap((task) => task?.id ?? [])).size, 20);
});

test("10 workers empty a line of 50, each task once; of 10 claimers of one task one wins", async () => {
  const shop = await workshop(user);
  const workers = await Promise.all(Array.from({ length: 10 }, () => shop.another(user)));
  await Promise.all(Array.from({ length: 50 }, () => shop.submit()));
  const claimed: string[] = [];
  await Promise.all(
    workers.map(async (worker) => {
      for (;;) {
        const { task } = the(200, await claim(worker));
        if (task === null) return;
        assert.equal(task.worker_id, worker);
        claimed.push(task.id);
      }
    }),
  );
  assert.deepEqual([claimed.length, new Set(claimed).size], [50, 50]);
  await shop.submit();
  const answers = await Promise.all(workers.map((worker) => claim(worker)));
  assert.equal(answers.filter((answer) => the(200, answer).task !== null).length, 1);
});

test("a claim that waits is answered when something is submitted, and says that it waited", async () => {
  const shop = await workshop(user);
  const answers = [1, 2].map(() => claim(shop.worker, { limit: 2 }, { prefer: "wait=30" }));
  await until("both claims wait", () => waitingClaims() === 2);
  const startedAt = clock.now();
  const first = await shop.submit();
  const [one] = await Promise.race(answers.map(async (answer) => [await answer]));
  assert.ok(clock.now() - startedAt < 3_000);
  assert.equal(one?.headers.get("preference-applied"), "wait=30");
  assert.deepEqual(
    the(200, one as never).tasks.map(({ id }: Body) => id),
    [first.id],
  );
  await shop.submit();
  const both = (await Promise.all(answers)).flatMap(({ body }) => body.tasks);
  assert.equal(new Set(both.map(({ id }) => id)).size, 2);
});

test("a claim that waits in vain ends on time, with null", async () => {
  const shop = await workshop(user);
  const startedAt = clock.now();
  const answer = await claim(shop.worker, {}, { prefer: "respond-async, wait=1" });
  const took = clock.now() - startedAt;
  assert.ok(took >= 990 && took < 2_500, `${took} ms`);
  assert.deepEqual(the(200, answer), { task: null });
  assert.equal(answer.headers.get("preference-applied"), "wait=1");
});

test("a claim whose caller hangs up waits no longer, and what comes then is for others", async () => {
  const shop = await workshop(user);
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${user.token}`, prefer: "wait=30" };
  const body = JSON.stringify({ worker_id: shop.worker });
  const left = fetch(`${scene.url}/v1/tasks/claim`, { method: "POST", headers, body, signal: gone.signal });
  await until("the claim waits", () => waitingClaims() === 1);
  gone.abort();
  await assert.rejects(left);
  await until("nobody waits", () => waitingClaims() === 0);
  const { id } = await shop.submit();
  assert.equal((await shop.claim()).id, id);
});

test("a claim whose worker goes while it waits is told so", async () => {
  const shop = await workshop(user);
  const answer = claim(shop.worker, {}, { prefer: "wait=30" });
  await until("the claim waits", () => waitingClaims() === 1);
  the(204, await user.delete(`/workers/${shop.worker}`));
  refused(await answer, 404, "worker-not-found");
});

test("a claim repeated under one key gets the same tasks and leases again; another body is refused", async () => {
  const shop = await workshop(user);
  const headers = { "idempotency-key": "claim-1" };
  assert.equal(the(200, await claim(shop.worker, {}, headers)).task, null);
  const submitted = [await shop.submit(), await shop.submit(), await shop.submit()];
  const first = the(200, await claim(shop.worker, {}, headers));
  assert.equal(first.task.id, submitted[0].id);
  const again = the(200, await claim(shop.worker, {}, headers));
  assert.deepEqual([again.task.id, again.task.lease_token], [first.task.id, first.task.lease_token]);
  refused(await claim(shop.worker, { limit: 2 }, headers), 409, "idempotency-conflict");
  const other = { "idempotency-key": "claim-2" };
  const two = the(200, await claim(shop.worker, { limit: 2 }, other));
  const twice = the(200, await claim(shop.worker, { limit: 2 }, other));
  const leases = ({ tasks }: Body) => tasks.map(({ id, lease_token }: Body) => [id, lease_token]);
  assert.deepEqual(leases(twice), leases(two));
  assert.deepEqual(
    two.tasks.map(({ id }: Body) => id),
    [submitted[1].id, submitted[2].id],
  );
});

test("claims under one key that arrive at once get one task between them", async () => {
  const shop = await workshop(user);
  await Promise.all(Array.from({ length: 5 }, () => shop.submit()));
  const headers = { "idempotency-key": "claim-at-once" };
  const answers = await Promise.all(Array.from({ length: 5 }, () => claim(shop.worker, {}, headers)));
  assert.equal(new Set(answers.map((answer) => the(200, answer).task.lease_token)).size, 1);
  assert.equal(the(200, await user.get(`/rooms/${shop.room}/tasks?status=pending`)).total, 4);
});

test("a key keeps nothing for whoever lost the task since", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const headers = { "idempotency-key": "claim-lost" };
  const { task } = the(200, await claim(shop.worker, {}, headers));
  the(200, await user.post(`/tasks/${id}/release`, { lease_token: task.lease_token }));
  assert.equal(the(200, await claim(shop.worker, {}, headers)).task, null);
});

test("one very task is claimed by its id, once, by a worker that serves its job", async () => {
  const [shop, foreign] = [await workshop(user), await workshop(user)];
  const [first, second] = [await shop.submit(), await shop.submit()];
  const by = (worker_id: string, id = second.id) => user.post(`/tasks/${id}/claim`, { worker_id });
  refused(await by(foreign.worker), 409, "invalid-task-transition");
  refused(await by(nobodysId), 404, "worker-not-found");
  refused(await by(shop.worker, nobodysId), 404, "task-not-found");
  refused(await user.post(`/tasks/${second.id}/claim`, {}), 422, "invalid-request");
  const answers = await Promise.all(Array.from({ length: 5 }, () => by(shop.worker)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409]);
  const task = answers.find(({ status }) => status === 200)?.body;
  assert.deepEqual([task.id, task.status, task.worker_id, task.attempt], [second.id, "claimed", shop.worker, 1]);
  the(200, await user.patch(`/tasks/${second.id}`, { status: "running", lease_token: task.lease_token }));
  the(200, await user.patch(`/tasks/${second.id}`, { status: "completed", lease_token: task.lease_token }));
  refused(await by(shop.worker), 409, "invalid-task-transition");
  assert.equal((await shop.claim()).id, first.id);
  assert.deepEqual(await history(user, second.id), ["submitted", "claimed", "started", "completed"]);
});

test("a token for some rooms speaks for what its worker was given, whatever room it is for, also when it is too late", async () => {
  const shop = await workshop(user);
  const narrow = await scene.caller("user", { rooms: [shop.room] });
  const { id } = the(202, await admin.post(`/rooms/unseen/tasks/${shop.job}`, {}));
  refused(await narrow.get(`/tasks/${id}`), 404, "task-not-found");
  refused(await narrow.patch(`/tasks/${id}`, { status: "running" }), 404, "task-not-found");
  const { task } = the(200, await narrow.post("/tasks/claim", { worker_id: shop.worker }));
  assert.equal(task.id, id);
  the(200, await narrow.patch(`/tasks/${id}`, { status: "running", lease_token: task.lease_token }));
  the(204, await narrow.post(`/tasks/${id}/progress`, { current: 1 }));
  assert.equal(the(200, await narrow.get(`/tasks/${id}`)).status, "running");
  the(204, await narrow.delete(`/workers/${shop.worker}`));
  refused(await narrow.patch(`/tasks/${id}`, { status: "completed" }), 409, "invalid-task-transition");
  refused(await (await scene.caller("other", { rooms: ["lab"] })).get(`/tasks/${id}`), 404, "task-not-found");
});

test("a token claims nothing for a worker with jobs that the token is not for", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  for (const limits of [{ rooms: ["elsewhere"] }, { jobs: ["@global:*"] }]) {
    const narrow = await scene.caller("user", limits);
    refused(await narrow.post("/tasks/claim", { worker_id: shop.worker }), 403, "forbidden");
  }
  const narrow = await scene.caller("user", { jobs: ["@global:*"] });
  refused(await narrow.post(`/tasks/${id}/claim`, { worker_id: shop.worker }), 403, "forbidden");
  const wide = await scene.caller("user", { rooms: [shop.room], jobs: [`${shop.room}:*`] });
  assert.equal(the(200, await wide.post("/tasks/claim", { worker_id: shop.worker })).task.id, id);
});

test("a claim may start its tasks at once: they are running, in one move, and end like any other", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const { task, tasks } = the(200, await claim(shop.worker, { limit: 2, start: true }));
  assert.deepEqual([task.id, task.status, tasks.length], [id, "running", 1]);
  assert.notEqual(task.started_at, null);
  const { lease_token } = task;
  the(200, await user.patch(`/tasks/${id}`, { status: "completed", lease_token }));
  assert.deepEqual(await history(user, id), ["submitted", "assigned", "completed"]);
});
