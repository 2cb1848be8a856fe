// The contract of /work, row by row: limits, messages, credit, and what a worker is fit for. By a worker that shares no
// code with ours, against a whole server. What becomes of failures is in failures.test.ts.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { anything, checksumOf, type Message, type RawWorker, registration, shop, succeeded } from "./raw-worker.ts";

const scene = await restScene({
  "work-lost-after": "5000",
  "work-heartbeat-interval": "100",
  "work-ack-within": "300",
});
const {
  spec,
  submit,
  task,
  taskIs,
  history,
  worker: workerOf,
  hired,
  connect,
  push,
  expecting,
  ada,
} = await shop(scene);
const eve = await scene.caller("eve", { role: "viewer" });

const assignments = ({ heard }: RawWorker) => heard.filter(({ type }) => type === "assignment").length;

/** Each on a connection of its own: what is sent, and the code that the connection ends with. */
const bad = {
  "a first heartbeat without registration": [4400, { type: "heartbeat", seq: 1, ready: 0 }],
  "text that is no JSON": [4400, "{"],
  "JSON that is no object": [4400, "[]"],
  "an object without a type": [4400, "{}"],
  "a heartbeat without seq": [4400, { type: "heartbeat", ready: 0, registration: registration([]) }],
  "a heartbeat without ready": [4400, { type: "heartbeat", seq: 1, registration: registration([]) }],
  "a ready that is no number": [4400, { type: "heartbeat", seq: 1, ready: "2", registration: registration([]) }],
  "a ready below zero": [4400, { type: "heartbeat", seq: 1, ready: -1, registration: registration([]) }],
  "more than 4 MiB": [4413, { type: "heartbeat", seq: 1, ready: 0, padding: "x".repeat(4 * 2 ** 20) }],
} as const satisfies Record<string, readonly [number, object | string]>;

for (const [what, [code, frame]] of Object.entries(bad)) {
  test(`${what} ends the connection with ${code}, and nobody is registered`, async () => {
    const count = async () => (await scene.admin.get("/workers?limit=0")).body.total;
    const before = await count();
    const worker = await connect();
    worker.text(typeof frame === "string" ? frame : JSON.stringify(frame));
    assert.equal(await worker.ends(), code);
    assert.equal(await count(), before);
  });
}

for (const [who, token] of Object.entries({
  nobody: null,
  "a wrong token": `lh_${"x".repeat(43)}`,
  viewer: eve.token,
})) {
  test(`${who} is told why it is not let in, and the connection ends with 4401`, async () => {
    const worker = await connect(token);
    // Whoever has a good token is known to be no worker only by what it wants.
    if (token === eve.token) worker.beat({ registration: registration([]) });
    const { problem } = await worker.hears("error");
    assert.match(problem.type, token === eve.token ? /forbidden$/ : /unauthorized$/);
    assert.equal(await worker.ends(), 4401);
  });
}

test("unknown types and unknown fields are ignored, and a draining worker is active again when it says so", async () => {
  const id = await spec();
  const { worker } = await hired([id], { shoeSize: 43 }, { planet: "earth", capabilities: { fly: true } });
  worker.text(JSON.stringify({ type: "telegram", stop: true }));
  await submit(id);
  worker.beat({ ready: 1, state: "draining" });
  await worker.hearsNothing();
  worker.beat({ ready: 1, state: "active" });
  await worker.takes();
});

test("a result of more than 1 MiB is refused and ends the job, and a payload of more is not taken", async () => {
  const id = await spec();
  const big = "x".repeat(2 ** 20);
  const path = `/rooms/@global/tasks/@global:specs:${id}`;
  assert.equal((await ada.post(path, { payload: { big } })).status, 413);
  const { worker } = await hired([id], { ready: 1 });
  await submit(id);
  const job = await worker.takes();
  worker.beat({ results: [succeeded(job, big)] });
  const { accepted, reason } = await worker.hears("resultAck");
  assert.deepEqual([accepted, reason], [false, "payload-too-large"]);
  assert.equal((await taskIs(job.id, "failed")).error_code, "payload-too-large");
});

test("a later registration replaces the former one whole", async () => {
  const [one, two] = [await spec(), await spec()];
  const { worker, welcome } = await hired([one], {}, { queues: ["q"], arch: "x64", labels: { gpu: "yes" } });
  worker.beat({ registration: registration([two]) });
  assert.deepEqual((await worker.hears("specs")).specs, [{ id: two, accepted: true }]);
  const { queues, labels, specs, about } = await workerOf(welcome.workerId);
  assert.deepEqual([queues, labels, Object.keys(specs), about.arch], [null, {}, [`@global:specs:${two}`], undefined]);
  await submit(one);
  const job = await submit(two);
  worker.beat({ ready: 2 });
  assert.equal((await worker.takes()).id, job);
  await worker.hearsNothing();
});

/** Assignments in all after this has been said, one heartbeat after the other, with plenty of jobs waiting. */
const credits: readonly (readonly [string, readonly (readonly [ready: number, acked: number, inAll: number])[]])[] = [
  [
    "ready is absolute and replaces the former value",
    [
      [2, 0, 2],
      [2, 2, 4],
      [0, 4, 4],
    ],
  ],
  [
    "what is on its way counts against it",
    [
      [1, 0, 1],
      [1, 0, 1],
      [1, 1, 2],
    ],
  ],
  [
    "it grows by what is wanted more",
    [
      [1, 0, 1],
      [3, 0, 3],
    ],
  ],
  [
    "what was not sent cannot have been seen",
    [
      [1, 99, 1],
      [1, 99, 2],
    ],
  ],
  [
    "what was seen is not unseen",
    [
      [2, 0, 2],
      [0, 2, 2],
      [1, 0, 3],
    ],
  ],
];
for (const [name, beats] of credits) {
  test(`credit is max(0, ready − assignments not seen yet): ${name}`, async () => {
    const id = await spec();
    for (let count = 0; count < 6; count += 1) await submit(id);
    const { worker } = await hired([id], { ackedAssignment: 0 });
    for (const [ready, ackedAssignment, inAll] of beats) {
      worker.beat({ ready, ackedAssignment });
      await until(`${inAll} in all`, () => assignments(worker) >= inAll);
      const from = worker.heard.length;
      await until("a beat", () => worker.heard.slice(from).some(({ type }) => type === "beat"));
      assert.equal(assignments(worker), inAll, JSON.stringify([ready, ackedAssignment]));
    }
    worker.close();
  });
}

test("an assignment is a whole copy of the job", async () => {
  const id = await spec({ queue: "presses" });
  const { worker } = await hired([id], { ready: 1 });
  await submit(id, { payload: { n: 1 }, priority: 5, logs: { requested: true, level: "warn" } });
  const { scheduledAt, assignedAt, id: jobId, ...rest } = await worker.takes();
  const known = await task(jobId);
  assert.deepEqual([scheduledAt, assignedAt], [known.created_at, known.started_at]);
  assert.deepEqual(rest, {
    ...{ attempt: 1, spec: { id, checksum: checksumOf(anything) }, queue: "presses", parameters: { n: 1 } },
    ...{ logs: { requested: true, level: "warn" }, meta: { room: "@global", priority: 5, submitter: "ada" } },
  });
});

test("only a worker that wants to hear of it is told of a cancel", async () => {
  const id = await spec();
  for (const cancel of [true, false]) {
    const { worker } = await hired([id], { ready: 1 }, { capabilities: { cancel } });
    await submit(id);
    const job = await worker.takes();
    expecting(200, await ada.post(`/tasks/${job.id}/cancel`));
    if (cancel) assert.deepEqual(await worker.hears("cancel"), { type: "cancel", jobId: job.id, attempt: 1 });
    else await worker.hearsNothing();
    worker.beat({ results: [succeeded(job)] });
    assert.equal((await worker.hears("resultAck")).accepted, false);
    assert.equal((await history(job.id)).at(-1), "task.result_refused");
    worker.close();
  }
});

test("specs are registered one by one, or all or none; the checksum does not know the order of keys", async () => {
  const schema = { properties: { a: { type: "string" } }, type: "object" };
  const turned = { type: "object", properties: { a: { type: "string" } } };
  const { id, checksum } = expecting(201, await scene.admin.put("/specs/ordered", { schema: turned }));
  assert.deepEqual([id, checksum], ["ordered", checksumOf(schema)]);
  const half = [
    { id: "half-1", schema },
    { id: "half-2", schema: { type: 7 } },
  ];
  assert.equal((await scene.admin.post("/specs", { specs: half })).status, 422);
  assert.equal((await scene.admin.get("/specs/half-1")).status, 404);
  const whole = half.map(({ id: name }) => ({ id: name, schema }));
  const { status, body } = await scene.admin.post("/specs", { specs: whole });
  assert.ok(status < 300, JSON.stringify(body));
  const { items } = expecting(200, await ada.get("/specs?limit=500"));
  for (const { id: name } of whole) {
    assert.equal(items.find((each: Message) => each.id === name)?.checksum, checksumOf(schema));
  }
});

test("changing the status quo counts at once, for connected workers too, and jobs in flight go on", async () => {
  const id = await spec();
  const { worker } = await hired([id], { ready: 1, ackedAssignment: 0 });
  await submit(id);
  const job = await worker.takes();
  await push(id, { schema: { required: [], type: "object" } });
  assert.deepEqual((await worker.hears("specs")).specs, [{ id, accepted: false, reason: "checksum" }]);
  const later = await submit(id);
  worker.beat({ ready: 1, ackedAssignment: 1, results: [succeeded(job, "still good")] });
  assert.equal((await worker.hears("resultAck")).accepted, true);
  assert.equal((await task(job.id)).result, "still good");
  await worker.hearsNothing();
  assert.match((await task(later)).waiting, /announces another checksum/);
});

test("a queued job runs under the status quo of its assignment, and keeps the checksum it was made for", async () => {
  const id = await spec();
  const job = await submit(id);
  const schema = { required: [], type: "object" };
  await push(id, { schema });
  const { worker } = await hired([], { ready: 1 }, { specs: [{ id, checksum: checksumOf(schema) }] });
  const assigned = await worker.takes();
  assert.deepEqual([assigned.id, assigned.spec.checksum], [job, checksumOf(schema)]);
  const database = new DatabaseSync(join(scene.data, "leadhand.db"), { readOnly: true });
  const kept = database.prepare("select checksum from task where id = ?").get(job);
  database.close();
  assert.equal(kept?.["checksum"], checksumOf(anything));
});

test("a job goes by priority, then by age, across the queues that a worker listed", async () => {
  const id = await spec();
  const a = await submit(id, { queue: "a" });
  const b = await submit(id, { queue: "b" });
  const urgent = await submit(id, { queue: "b", priority: 9 });
  const c = await submit(id, { queue: "a" });
  const { worker } = await hired([id], { ready: 4 }, { queues: ["a", "b"] });
  const order = [];
  for (let count = 0; count < 4; count += 1) order.push((await worker.takes()).id);
  assert.deepEqual(order, [urgent, a, b, c]);
});

test("the spec of an assignment is called as the worker called it", async () => {
  const id = await spec();
  const full = `@global:specs:${id}`;
  const { worker } = await hired([full], { ready: 1 });
  await submit(id);
  assert.equal((await worker.takes()).spec.id, full);
});
