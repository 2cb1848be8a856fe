import assert from "node:assert/strict";
import { test } from "node:test";
import { aJob, aWorker, block, fleetScene, jobOf, minute, pingId, poll, second } from "./scene.ts";

test("“Deploy multiple workers with the same function blocks. The blackboard distributes jobs across them”", async () => {
  await using scene = await fleetScene();
  const workers = [await aWorker(scene.owner), await aWorker(scene.owner), await aWorker(await scene.caller("eve"))];
  const eve = await scene.caller("eve");
  const jobs = [];
  for (let n = 0; n < 6; n += 1) jobs.push(await aJob(scene.owner));
  const got: string[][] = [];
  for (const [nth, uuid] of workers.entries()) {
    const answer = await poll(nth === 2 ? eve : scene.owner, uuid, 2);
    got.push(answer.jobs.map(({ id }: { id: string }) => id));
  }
  assert.deepEqual(got, [jobs.slice(0, 2), jobs.slice(2, 4), jobs.slice(4)], "oldest first, and each to one worker");
});

test("“Deploy workers with different function block sets (e.g., one worker for Cisco FBs, another for Juniper)”", async () => {
  await using scene = await fleetScene();
  const [cisco, juniper] = ["cisco", "juniper"].map((name) => block({ name })) as [object, object];
  const [one, other] = [await aWorker(scene.owner, [cisco]), await aWorker(scene.owner, [juniper])];
  const id = await aJob(scene.owner, { functionBlock: "fb.neops.io/juniper:1.0.0" });
  assert.deepEqual((await poll(scene.owner, one)).jobs, []);
  assert.equal((await poll(scene.owner, other)).jobs[0].id, id);
});

test("“Workers can run in different locations as long as they can reach the engine's REST API”: HTTP is all it takes", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner, { parameters: { host: "10.0.0.1" } });
  await poll(scene.owner, uuid);
  const push = { workerUuid: uuid, jobId: id, success: true, resultData: { rttMs: 3 }, logs: ["sent", "received"] };
  assert.deepEqual((await scene.owner.post("/blackboard/job/result", push)).body, { jobId: id, status: "pushed" });
  const { items } = (await scene.owner.get(`/v1/tasks/${id}/logs`)).body;
  assert.deepEqual(
    items.map(({ message }: { message: string }) => message),
    ["sent", "received"],
  );
});

test("“If jobs are queuing up (many PENDING jobs), add more workers”: they are seen to, and taken by the next that comes", async () => {
  await using scene = await fleetScene();
  await scene.owner.post(`/workers/${await aWorker(scene.owner)}/unregister`);
  const jobs = [await aJob(scene.owner), await aJob(scene.owner)];
  const { body } = await scene.owner.get("/blackboard/jobs?status=pending");
  assert.deepEqual(
    body.map(({ id }: { id: string }) => id),
    [...jobs].reverse(),
  );
  assert.deepEqual((await scene.owner.get("/workers/online")).body, []);
  const added = await aWorker(scene.owner);
  assert.equal((await scene.owner.get("/workers/online")).body.length, 1);
  assert.equal((await poll(scene.owner, added, 9)).jobs.length, 2);
});

test("a poll claims; a push starts and settles in one, with an event for each", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const [good, bad] = [await aJob(scene.owner), await aJob(scene.owner)];
  await poll(scene.owner, uuid, 2);
  const polledAt = new Date(scene.clock.now()).toISOString();
  await scene.pass(second);
  const push = (jobId: string, success: boolean) =>
    scene.owner.post("/blackboard/job/result", { workerUuid: uuid, jobId, success, resultData: { n: 1 } });
  await push(good, true);
  await push(bad, false);
  const history = async (id: string) =>
    (await scene.owner.get(`/v1/tasks/${id}/events`)).body.items.map((event: { type: string; at: string }) => event);
  const types = async (id: string) => (await history(id)).map(({ type }: { type: string }) => type);
  assert.deepEqual(await types(good), ["task.submitted", "task.claimed", "task.started", "task.completed"]);
  assert.deepEqual(await types(bad), ["task.submitted", "task.claimed", "task.started", "task.failed"]);
  const pushedAt = new Date(scene.clock.now()).toISOString();
  assert.deepEqual(await jobOf(scene.owner, good), {
    ...{ id: good, type: "EXECUTE", functionBlock: pingId, status: "pushed", workerUuid: uuid },
    ...{ createdAt: polledAt, polledAt, pushedAt, parameters: {}, context: {} },
    ...{ result: { success: true, data: { n: 1 }, error: null }, failureReason: null },
  });
});

test("a late push is 409, changes nothing, and stays in the history of the job", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  await scene.pass(6 * minute + second);
  await scene.owner.post(`/workers/${uuid}/ping`);
  const push = { workerUuid: uuid, jobId: id, success: true, resultData: {} };
  const { status, body } = await scene.owner.post("/blackboard/job/result", push);
  assert.deepEqual([status, body.type], [409, "/v1/problems/lease-lost"]);
  assert.equal((await jobOf(scene.owner, id)).failureReason, "WORKER_OFFLINE");
  const { items } = (await scene.owner.get(`/v1/tasks/${id}/events`)).body;
  assert.equal(items.at(-1).type, "task.result_refused");
});

test("a late push stays in the history of a job that had much to tell, too", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  const { operations } = scene.serving;
  // It comes into other hands, and back, after so many events that a look at the first of them would find nobody.
  await operations.settle(id, { worker: uuid, attempt: 1 }, { type: "release", reason: "later" });
  for (let n = 1; n <= 250; n += 1) {
    const [task] = await operations.claim({ worker: uuid, limit: 1, waitMs: 0, assign: true });
    const holder = { worker: uuid, attempt: task?.row.attempt ?? 0 };
    await operations.settle(id, holder, { type: "release", reason: "later" });
  }
  const other = await aWorker(scene.owner);
  await poll(scene.owner, other);
  await scene.pass(6 * minute + second);
  await scene.owner.post(`/workers/${other}/ping`);
  const push = { workerUuid: other, jobId: id, success: true, resultData: {} };
  assert.equal((await scene.owner.post("/blackboard/job/result", push)).status, 409);
  const { refusals } = await scene.store.read("events", { task: id, limit: 1, offset: 0 });
  assert.deepEqual(
    refusals.map(({ worker, attempt }) => [worker, attempt]),
    [[other, 252]],
  );
});

test("a push is 409 by a worker that never polled the job, after its goodbye, and the second time; 404 for no job", async () => {
  await using scene = await fleetScene();
  const [mine, other] = [await aWorker(scene.owner), await aWorker(scene.owner)];
  const [id, left] = [await aJob(scene.owner), await aJob(scene.owner)];
  await poll(scene.owner, mine, 2);
  const push = async (workerUuid: string, jobId: string) =>
    (await scene.owner.post("/blackboard/job/result", { workerUuid, jobId, success: true, resultData: {} })).status;
  assert.equal(await push(other, id), 409);
  assert.equal(await push(mine, id), 200);
  assert.equal(await push(mine, id), 409);
  await scene.owner.post(`/workers/${mine}/unregister`);
  assert.equal(await push(mine, left), 409, "from the goodbye on, nothing it holds counts");
  await scene.owner.delete(`/workers/${mine}`);
  assert.equal(await push(mine, left), 409);
  assert.equal(await push(other, "01993d6c-6c00-7000-8000-0a1b2c3d4e5f"), 404);
  assert.equal(await push(other, "no-uuid"), 404);
  assert.equal(await push("no-uuid", left), 404);
});

test("an attempt that is named is the one that is meant", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner, [block({ policy: { retry: { maxAttempts: 2, baseMs: 0 } } })]);
  const id = await aJob(scene.owner);
  const push = (success: boolean, attempt: number) =>
    scene.owner.post(
      "/blackboard/job/result",
      { workerUuid: uuid, jobId: id, success, resultData: {} },
      { "leadhand-attempt": String(attempt) },
    );
  const first = await scene.owner.post("/blackboard/job", { workerUuid: uuid });
  assert.equal(first.headers.get("leadhand-attempts"), "1");
  assert.equal((await push(false, 1)).status, 200);
  assert.equal((await jobOf(scene.owner, id)).status, "pending", "what is tried again is pending");
  const again = await scene.owner.post("/blackboard/job", { workerUuid: uuid });
  assert.equal(again.headers.get("leadhand-attempts"), "2");
  assert.equal((await push(true, 1)).status, 409);
  assert.equal((await push(true, 2)).status, 200);
});

test("same id with a different schema is rejected with a reason, and takes no other with it", async () => {
  await using scene = await fleetScene();
  await aWorker(scene.owner);
  const eve = await scene.caller("eve");
  const other = await aWorker(eve, []);
  const functionBlocks = [
    block({ parameterJsonSchema: { type: "array" } }),
    block({ name: "trace" }),
    block({ name: "bad", parameterJsonSchema: { type: "nonsense" } }),
  ];
  const { status, body } = await eve.post("/function-blocks/register", { workerUuid: other, functionBlocks });
  assert.deepEqual([status, body.registered], [200, ["fb.neops.io/trace:1.0.0"]]);
  assert.deepEqual(
    body.rejected.map(({ id }: { id: string }) => id),
    [pingId, "fb.neops.io/bad:1.0.0"],
  );
  assert.match(body.rejected[0].reason, /another schema/);
});

test("a block that is new, or changes, is written down with who registered it; one that stays as it is, or is rejected, is not", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const register = (words: Record<string, unknown>) =>
    scene.owner.post("/function-blocks/register", { workerUuid: uuid, functionBlocks: [block(words)] });
  await register({});
  await register({ parameterJsonSchema: { type: "array" } });
  await register({ name: "pong" });
  const { body } = await scene.admin.get("/v1/audit?action=job.register");
  const acts = body.items.map(({ actor, kind, target }: Record<string, string>) => [actor, kind, target]);
  assert.deepEqual(acts.toReversed(), [
    ["ada", "job", `@global:blocks:${pingId}`],
    ["ada", "job", `@global:blocks:${pingId.replace("ping", "pong")}`],
  ]);
  assert.match(body.items[0].data.checksum, /^sha256:/);
});

test("a block whose name is malformed is rejected with a reason, and takes no other with it", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner, []);
  const bad = [{ name: "a/b" }, { name: "a:b" }, { name: "" }, { version: "1:0" }, { package: "a:b" }];
  const long = { name: "n".repeat(300) };
  const functionBlocks = [...bad, long].map(block).concat(block());
  const { status, body } = await scene.owner.post("/function-blocks/register", { workerUuid: uuid, functionBlocks });
  assert.deepEqual([status, body.registered], [200, [pingId]]);
  assert.equal(body.rejected.length, 6);
  assert.deepEqual(body.rejected[0], {
    id: "fb.neops.io/a/b:1.0.0",
    reason: "/name must not be empty, nor hold a slash or a colon",
  });
  assert.match(body.rejected[5].reason, /at most 255/);
  const words = { workerUuid: uuid, functionBlocks: [block({ name: 7 })] };
  assert.equal((await scene.owner.post("/function-blocks/register", words)).status, 422, "no text at all");
});

test("refusals name a block as its worker does", async () => {
  await using scene = await fleetScene({ LEADHAND_PENDING_PER_JOB_MAX: "1" });
  const uuid = await aWorker(scene.owner);
  const unknown = await scene.owner.post("/blackboard/jobs", { functionBlock: "garbage", parameters: {} });
  assert.deepEqual([unknown.status, unknown.body.detail], [404, "Function block 'garbage' does not exist"]);
  const words = { workerUuid: uuid, functionBlocks: [block({ parameterJsonSchema: { type: "array" } })] };
  const [rejected] = (await scene.owner.post("/function-blocks/register", words)).body.rejected;
  assert.equal(rejected.reason, `Function block '${pingId}' is registered with another schema`);
  await aJob(scene.owner);
  const many = await scene.owner.post("/blackboard/jobs", { functionBlock: pingId, parameters: {} });
  assert.equal(many.status, 429);
  assert.equal(many.body.detail, `Function block '${pingId}' has 1 pending jobs; at most 1 are allowed`);
});

test("parameters and results are held against the block's schemas", async () => {
  await using scene = await fleetScene();
  const schema = { type: "object", required: ["host"] };
  const uuid = await aWorker(scene.owner, [block({ parameterJsonSchema: schema, resultDataJsonSchema: schema })]);
  const bad = await scene.owner.post("/blackboard/jobs", { functionBlock: pingId, parameters: {} });
  assert.equal(bad.status, 422);
  assert.match(bad.body.errors[0].pointer, /^\/parameters/);
  const id = await aJob(scene.owner, { parameters: { host: "a" } });
  await poll(scene.owner, uuid);
  const push = (resultData: object) =>
    scene.owner.post("/blackboard/job/result", { workerUuid: uuid, jobId: id, success: true, resultData });
  const refused = await push({});
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ["/resultData/host"],
  );
  assert.equal((await push({ host: "a" })).status, 200);
});

test("a block stays when its workers are gone, and a job for it stays pending", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await scene.owner.delete(`/workers/${uuid}`);
  await scene.pass(2 * minute);
  const { status, body } = await scene.owner.post("/blackboard/jobs", { functionBlock: pingId, parameters: {} });
  assert.deepEqual([status, body.status, body.workerUuid], [201, "pending", null]);
  const unknown = await scene.owner.post("/blackboard/jobs", { functionBlock: "a/b:9", parameters: {} });
  assert.deepEqual([unknown.status, unknown.body.type], [404, "/v1/problems/job-not-found"]);
});

test("active jobs are those that are pending or polled; one that was cancelled has failed, and says so", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const [held, pushed, cancelled, waiting] = [
    await aJob(scene.owner),
    await aJob(scene.owner),
    await aJob(scene.owner),
    await aJob(scene.owner),
  ];
  await poll(scene.owner, uuid, 3);
  await scene.owner.post("/blackboard/job/result", { workerUuid: uuid, jobId: pushed, success: true, resultData: {} });
  await scene.owner.post(`/v1/tasks/${cancelled}/cancel`);
  const active = (await scene.owner.get("/blackboard/jobs/active")).body;
  assert.deepEqual(
    active.map(({ id, status }: { id: string; status: string }) => [id, status]),
    [
      [waiting, "pending"],
      [held, "polled"],
    ],
  );
  const { status, failureReason } = await jobOf(scene.owner, cancelled);
  assert.deepEqual([status, failureReason], ["failed", "CANCELLED"]);
  const pinged = await scene.owner.post(`/workers/${uuid}/ping`);
  assert.deepEqual(pinged.body.cancel, [cancelled], "its worker hears of it with the next ping");
});
