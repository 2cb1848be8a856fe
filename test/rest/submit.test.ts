import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { type Body, history, pointers, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin, stranger } = scene;
const user = await scene.caller("user");
const limited = await scene.caller("user", { rooms: ["elsewhere"] });
const nobodysId = "01993d6c-7a10-7000-8000-000000000000";

test("an accepted task is told whole, with where to read it and when to look", async () => {
  const shop = await workshop(user);
  const answer = await user.post(shop.path, { payload: { n: 1 } });
  const task = the(202, answer);
  assert.equal(answer.headers.get("location"), `/v1/tasks/${task.id}`);
  assert.equal(answer.headers.get("retry-after"), "1");
  const { id, created_at, ...rest } = task;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    ...{ job_name: shop.job, room_id: shop.room, status: "pending", payload: { n: 1 }, result: null },
    ...{ started_at: null, completed_at: null, worker_id: null, error: null, error_code: null, error_details: null },
    ...{ queue_position: 1, queue_position_exact: true, queue: "default", priority: 0, run_at: null, attempt: 0 },
    ...{ labels: {}, retry: null, timeout_seconds: null, submitter: "user" },
    ...{ losses: 0, parent_id: null, retry_of: null, progress: null, children: null, waiting: null },
  });
  const { may, ...read } = the(200, await user.get(`/tasks/${id}`));
  assert.deepEqual(read, task);
  assert.deepEqual(may, { cancel: true, retry: true, delete: true, evict: false });
});

test("below the documents' prefix a task is accepted too, and read where the answer says", async () => {
  const shop = await workshop(user);
  const options = { token: user.token, body: "{}" };
  const answer = await scene.send("POST", `/v1/joblib${shop.path.replaceAll(":", "%3A")}`, options);
  const { id } = the(202, answer);
  assert.equal(answer.headers.get("location"), `/v1/joblib/tasks/${id}`);
  assert.equal(the(200, await scene.send("GET", `/v1/joblib/tasks/${id}`, { token: user.token })).id, id);
});

test("a payload is an object, {} where nothing is said; fields nobody knows are ignored", async () => {
  const shop = await workshop(user);
  assert.deepEqual((await shop.submit()).payload, {});
  assert.deepEqual((await shop.submit({ unknown: true, payload: { "": null } })).payload, { "": null });
  for (const payload of [[], null, "x", 7, true]) {
    const answer = await user.post(shop.path, { payload });
    refused(answer, 422, "invalid-request");
    assert.deepEqual(pointers(answer), ["/payload"]);
  }
  for (const body of [undefined, "", "{", "[]", "null", '{"payload":{}}{}']) {
    refused(await user.post(shop.path, body), 422, "invalid-request");
  }
});

test("a job that is unknown, misnamed or gone is not found, and one that nothing runs is unavailable", async () => {
  refused(await user.post("/rooms/lab/tasks/lab:modifiers:Nothing", {}), 404, "job-not-found");
  const misnamed = await user.post("/rooms/lab/tasks/no-parts", {});
  refused(misnamed, 404, "job-not-found");
  assert.match(misnamed.body.detail, /Invalid job name format/);
  const shop = await workshop(user);
  the(204, await user.delete(`/workers/${shop.worker}`));
  refused(await user.post(shop.path, {}), 404, "job-not-found");
  the(201, await admin.put("/rooms/@internal/jobs", { category: "modifiers", name: "Inside" }));
  refused(await user.post("/rooms/lab/tasks/@internal:modifiers:Inside", {}), 503, "internal-job-not-configured");
  assert.equal(the(200, await user.get("/rooms/lab/tasks")).total, 0);
});

test("what is wrong first is told first: the JSON, the room, who asks, the fields, the job", async () => {
  const path = (room: string) => `/rooms/${room}/tasks/lab:modifiers:Nothing`;
  refused(await stranger.post(path("a@b"), "{"), 422, "invalid-request");
  const badRoom = await stranger.post(path("a@b"), {});
  refused(badRoom, 400, "invalid-room-id");
  assert.match(badRoom.body.detail, /invalid characters/);
  refused(await user.post(path("a:b"), { payload: [] }), 400, "invalid-room-id");
  refused(await stranger.post(path("lab"), { payload: [] }), 401, "unauthorized");
  refused(await user.post(path("lab"), { payload: [] }), 422, "invalid-request");
  refused(await user.post(path("lab"), {}), 404, "job-not-found");
});

test("three tasks stand in line as 1, 2, 3, whatever rooms they are for, and are claimed in that order", async () => {
  const shop = await workshop(user);
  const there = (room: string) => user.post(`/rooms/${room}/tasks/${shop.job}`, {}).then((answer) => the(202, answer));
  const tasks = [await shop.submit(), await there("room-x"), await there("@global")];
  assert.deepEqual(
    tasks.map(({ queue_position }) => queue_position),
    [1, 2, 3],
  );
  assert.deepEqual(
    [await shop.claim(), await shop.claim()].map(({ id }) => id),
    [tasks[0].id, tasks[1].id],
  );
  assert.equal(the(200, await user.get(`/tasks/${tasks[2].id}`)).queue_position, 1);
});

test("what is more urgent goes before what is older", async () => {
  const shop = await workshop(user);
  const usual = await shop.submit();
  const urgent = await shop.submit({ priority: 5 });
  const whenever = await shop.submit({ priority: -5 });
  assert.deepEqual([urgent.priority, urgent.queue_position, whenever.queue_position], [5, 1, 3]);
  const claimed = [await shop.claim(), await shop.claim(), await shop.claim()];
  assert.deepEqual(
    claimed.map(({ id }) => id),
    [urgent.id, usual.id, whenever.id],
  );
  for (const priority of [1.5, "1", 2 ** 40, -(2 ** 40), null]) {
    refused(await user.post(shop.path, { priority }), 422, "invalid-request");
  }
});

test("a task for later waits until then, in nobody's way, and is claimed as soon as it is due", async () => {
  const shop = await workshop(user);
  const later = await shop.submit({ delay_seconds: 0.4 });
  const waits = Date.parse(later.run_at) - Date.parse(later.created_at);
  assert.ok(waits > 200 && waits <= 400, `${waits} ms`);
  assert.deepEqual([later.status, later.queue_position], ["pending", null]);
  assert.equal((await user.post("/tasks/claim", { worker_id: shop.worker })).body.task, null);
  const claim = await user.post("/tasks/claim", { worker_id: shop.worker }, { prefer: "wait=10" });
  assert.equal(claim.body.task.id, later.id);
  assert.equal(claim.body.task.run_at, null);
});

test("a time may be given instead of a delay: one that has passed means now, both are refused", async () => {
  const shop = await workshop(user);
  const past = await shop.submit({ run_at: "2001-01-01T00:00:00Z" });
  assert.deepEqual([past.run_at, past.queue_position], [null, 1]);
  const future = await shop.submit({ run_at: "2999-12-31T23:59:59.5+02:00" });
  assert.equal(future.run_at, "2999-12-31T21:59:59.500Z");
  const both = await user.post(shop.path, { run_at: "2999-12-31T23:59:59Z", delay_seconds: 1 });
  refused(both, 422, "invalid-request");
  assert.deepEqual(pointers(both), ["/run_at"]);
  const bad = [{ run_at: "tomorrow" }, { run_at: 7 }, { delay_seconds: -1 }, { delay_seconds: "1" }];
  for (const words of bad) {
    const answer = await user.post(shop.path, words);
    refused(answer, 422, "invalid-request");
    assert.deepEqual(pointers(answer), [`/${Object.keys(words)[0]}`]);
  }
});

test("numbers beyond what can be kept are refused by the name they were sent with", async () => {
  const shop = await workshop(user);
  const bad: [object, string][] = [
    [{ timeout_seconds: 10 ** 10 }, "/timeout_seconds"],
    [{ delay_seconds: 10 ** 10 }, "/delay_seconds"],
    [{ retry: { baseMs: 10 ** 15 } }, "/retry/baseMs"],
    [{ retry: { maxAttempts: 0 } }, "/retry/maxAttempts"],
  ];
  for (const [words, pointer] of bad) {
    const one = await user.post(shop.path, words);
    refused(one, 422, "invalid-request");
    assert.deepEqual(pointers(one), [pointer]);
    const many = await user.post(`/rooms/${shop.room}/tasks`, {
      tasks: [{ job: shop.job }, { job: shop.job, ...words }],
    });
    refused(many, 422, "invalid-request");
    assert.deepEqual(pointers(many), [`/tasks/1${pointer}`]);
  }
});

test("a queue is the task's, else the job's, else the default; labels keep a task for workers that carry them", async () => {
  const shop = await workshop(user, { queue: "slow" });
  assert.equal((await shop.submit()).queue, "slow");
  assert.equal((await shop.submit({ queue: "fast" })).queue, "fast");
  assert.equal((await (await workshop(user)).submit()).queue, "default");
  assert.equal((await shop.claim()).queue, "slow");
  const labelled = await shop.submit({ labels: { gpu: "a100" } });
  assert.equal((await shop.claim()).queue, "fast");
  assert.equal((await user.post("/tasks/claim", { worker_id: shop.worker })).body.task, null);
  assert.equal(the(200, await user.get(`/tasks/${labelled.id}`)).status, "pending");
  for (const words of [{ queue: "" }, { queue: "q".repeat(256) }, { labels: { a: 1 } }, { labels: [] }]) {
    refused(await user.post(shop.path, words), 422, "invalid-request");
  }
});

test("a parent has to be there, open, and in a room that the submitter may see", async () => {
  const shop = await workshop(user);
  const parent = await shop.submit();
  const child = await shop.submit({ parent_id: parent.id.toUpperCase() });
  assert.equal(child.parent_id, parent.id);
  assert.equal((await shop.submit({ parent_id: null })).parent_id, null);
  refused(await user.post(shop.path, { parent_id: nobodysId }), 409, "parent-closed");
  refused(await user.post(shop.path, { parent_id: "seven" }), 422, "invalid-request");
  the(201, await user.put("/rooms/elsewhere/jobs", { category: "modifiers", name: "Far" }));
  const unseen = await limited.post("/rooms/elsewhere/tasks/elsewhere:modifiers:Far", { parent_id: parent.id });
  refused(unseen, 409, "parent-closed");
  the(200, await user.post(`/tasks/${parent.id}/cancel`));
  refused(await user.post(shop.path, { parent_id: parent.id }), 409, "parent-closed");
});

test("a task that fails is tried again as often as its retry policy says, then fails for good", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit({ retry: { maxAttempts: 3, baseMs: 0 } });
  for (const attempt of [1, 2, 3]) {
    const claimed = await shop.claim();
    assert.deepEqual([claimed.id, claimed.attempt], [id, attempt]);
    const { lease_token } = claimed;
    the(200, await user.patch(`/tasks/${id}`, { status: "running", lease_token }));
    const failed = the(200, await user.patch(`/tasks/${id}`, { status: "failed", error: "no", lease_token }));
    assert.equal(failed.status, attempt < 3 ? "pending" : "failed");
    assert.equal(failed.error, attempt < 3 ? null : "no");
  }
  const once = ["claimed", "started", "retried"];
  assert.deepEqual(await history(admin, id), ["submitted", ...once, ...once, "claimed", "started", "failed"]);
});

test("a retry waits as long as its policy says, and the job's policy holds where the task has none", async () => {
  const shop = await workshop(user, { policy: { retry: { maxAttempts: 2, baseMs: 60_000 } } });
  const { id } = await shop.running();
  const failed = the(200, await user.patch(`/tasks/${id}`, { status: "failed" }));
  assert.equal(failed.status, "pending");
  const waits = Date.parse(failed.run_at) - Date.parse(failed.created_at);
  assert.ok(waits > 30_000 && waits < 90_000, `${waits} ms`);
});

test("a task that runs longer than its timeout fails, and its worker's late result is refused", async () => {
  const shop = await workshop(user);
  const { id, lease_token } = await shop.running({ timeout_seconds: 0.2 });
  const ended = the(200, await user.get(`/tasks/${id}`, { prefer: "wait=10" }));
  assert.deepEqual([ended.status, ended.error_code], ["failed", "JobTimeout"]);
  refused(await user.patch(`/tasks/${id}`, { status: "completed", lease_token }), 409, "invalid-task-transition");
  assert.deepEqual((await history(admin, id)).slice(-2), ["timed_out", "result_refused"]);
});

test("payloads are held against the job's schema, every fault by its place, and nothing is stored", async () => {
  const properties = { n: { type: "integer", minimum: 1 }, tags: { type: "array", items: { type: "string" } } };
  for (const $schema of ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]) {
    const shop = await workshop(user, { schema: { $schema, type: "object", properties, required: ["n"] } });
    const answer = await user.post(shop.path, { payload: { n: 0, tags: ["a", 7] } });
    refused(answer, 422, "invalid-request");
    assert.deepEqual(pointers(answer).toSorted(), ["/payload/n", "/payload/tags/1"]);
    refused(await user.post(shop.path, {}), 422, "invalid-request");
    assert.equal(the(200, await user.get(`/rooms/${shop.room}/tasks`)).total, 0);
    the(202, await user.post(shop.path, { payload: { n: 1, tags: ["a"], more: {} } }));
  }
});

test("a payload over the limit is refused as too large, and nothing is stored", async () => {
  const shop = await workshop(user);
  refused(await user.post(shop.path, { payload: { x: "x".repeat(2 ** 20) } }), 413, "payload-too-large");
  refused(await user.post(shop.path, { payload: { x: "x".repeat(5 * 2 ** 20) } }), 413, "payload-too-large");
  the(202, await user.post(shop.path, { payload: { x: "x".repeat(2 ** 20 - 8) } }));
  assert.equal(the(200, await user.get(`/rooms/${shop.room}/tasks`)).total, 1);
});

test("a submitted task wakes nobody who may not serve it, and is there for whoever may", async () => {
  const [mine, theirs] = [await workshop(user), await workshop(user)];
  const { id } = await mine.submit();
  assert.equal((await user.post("/tasks/claim", { worker_id: theirs.worker })).body.task, null);
  assert.equal((await mine.claim()).id, id);
  const listed: Body[] = the(200, await user.get(`/rooms/${mine.room}/tasks?status=claimed`)).items;
  assert.deepEqual(
    listed.map((task) => task.id),
    [id],
  );
});

test("a repeated submit gets the first answer again: one task, however often and however much at once", async () => {
  const shop = await workshop(user);
  const words = { payload: { n: 1 } };
  const headers = { "idempotency-key": "order-7" };
  const answers = await Promise.all(Array.from({ length: 20 }, () => user.post(shop.path, words, headers)));
  const ids = new Set(answers.map((answer) => the(202, answer).id));
  assert.equal(ids.size, 1);
  const again = await user.post(shop.path, words, headers);
  assert.equal(again.headers.get("location"), `/v1/tasks/${[...ids][0]}`);
  assert.equal(the(200, await user.get(`/rooms/${shop.room}/tasks`)).total, 1);
  refused(await user.post(shop.path, { payload: { n: 2 } }, headers), 409, "idempotency-conflict");
  assert.equal(the(200, await user.get(`/rooms/${shop.room}/tasks`)).total, 1);
});

test("a key belongs to its user and to what it was used for", async () => {
  const shop = await workshop(user);
  const headers = { "idempotency-key": "order-8" };
  const mine = the(202, await user.post(shop.path, {}, headers));
  const theirs = the(202, await admin.post(shop.path, {}, headers));
  const elsewhere = the(202, await user.post(`/rooms/elsewhere/tasks/${shop.job}`, {}, headers));
  const { items } = the(202, await user.post(`/rooms/${shop.room}/tasks`, { tasks: [{ job: shop.job }] }, headers));
  assert.equal(new Set([mine.id, theirs.id, elsewhere.id, items[0].id]).size, 4);
  refused(await user.post(shop.path, {}, { "idempotency-key": "k".repeat(256) }), 422, "invalid-request");
});

test("the first answer comes again though its task went on, its job changed or went, and not once it was deleted", async () => {
  const shop = await workshop(user);
  const headers = { "idempotency-key": "order-9" };
  const { id } = the(202, await user.post(shop.path, { payload: { n: "x" } }, headers));
  await shop.claim();
  the(204, await user.delete(`/workers/${shop.worker}`));
  const again = async () => user.post(shop.path, { payload: { n: "x" } }, headers);
  assert.deepEqual(the(202, await again()).status, "failed");
  refused(await user.post(shop.path, { payload: { n: "x" } }), 404, "job-not-found");
  const schema = { type: "object", properties: { n: { type: "integer" } } };
  the(201, await user.put(`/rooms/${shop.room}/jobs`, { category: "modifiers", name: "Work", schema }));
  assert.deepEqual(the(202, await again()).id, id);
  refused(await user.post(shop.path, { payload: { n: "x" } }), 422, "invalid-request");
  the(204, await user.delete(`/tasks/${id}`));
  refused(await again(), 410, "task-gone");
});
