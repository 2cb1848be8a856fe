// Specs over REST: who may say what the status quo of a job is, many at once, and what a change means.

import assert from "node:assert/strict";
import { test } from "node:test";
import { payloadRefused } from "../../src/engine/fitness.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const [ada, vera, lina] = await Promise.all([
  scene.caller("ada"),
  scene.caller("vera", { role: "viewer" }),
  scene.caller("lina", { rooms: ["lab"] }),
]);
const number = { type: "object", properties: { n: { type: "number" } } };
const integer = { type: "object", properties: { n: { type: "integer" } } };
const missing = { "if-none-match": "*" };

async function total(): Promise<number> {
  return (await admin.get("/specs?limit=0")).body.total;
}

test("a spec is registered under its own id, or by the full name of a job", async () => {
  const made = await admin.put("/specs/rotate", { schema: integer });
  assert.equal(made.status, 201);
  const { checksum } = made.body;
  assert.deepEqual(made.body, { id: "rotate", job: "@global:specs:rotate", checksum, created: true, change: null });
  assert.equal(made.headers.get("etag"), `"${checksum}"`);
  const same = await admin.put("/specs/@global:specs:rotate", {
    schema: { properties: integer.properties, type: "object" },
  });
  assert.equal(same.status, 200);
  assert.deepEqual(same.body, {
    ...{ id: "@global:specs:rotate", job: "@global:specs:rotate", checksum, created: false },
    change: { kind: "same", differences: [] },
  });
  const read = await vera.get("/specs/rotate");
  const { created_at, since, ...rest } = read.body;
  assert.deepEqual(rest, {
    ...{ id: "rotate", job: "@global:specs:rotate", checksum, source: "explicit", schema: integer, output: null },
    ...{ queue: null, labels: null, policy: null, push: null },
  });
  assert.equal(since, created_at);
  assert.equal((await admin.get("/rooms/@global/jobs/@global:specs:rotate")).body.checksum, checksum);
  const slashed = await admin.put("/specs/folder/of:two", { schema: {} });
  assert.equal(slashed.body.job, "@global:specs:folder/of:two");
  assert.equal((await vera.get("/specs/folder/of:two")).body.id, "folder/of:two");
});

test("a change is told with what it means, and tasks are checked by the new schema at once", async () => {
  await admin.put("/specs/change", { schema: integer, queue: "slow", policy: { timeoutMs: 5 } });
  const wider = await admin.put("/specs/change", { schema: number });
  assert.deepEqual(wider.body.change, {
    kind: "compatible",
    differences: [{ pointer: "/schema/properties/n/type", kind: "compatible", detail: "takes number now" }],
  });
  const kept = (await admin.get("/specs/change")).body;
  assert.deepEqual([kept.queue, kept.policy], ["slow", { timeoutMs: 5 }], "what is not said stays");
  assert.notEqual(kept.since, kept.created_at);
  const submit = () => admin.post("/rooms/lab/tasks/@global:specs:change", { payload: { n: 1.5 } });
  assert.equal((await submit()).status, 202);
  assert.equal((await admin.put("/specs/change", { schema: integer })).body.change.kind, "breaking");
  expectBadFields(await submit(), "/payload/n");
});

test("only a superuser replaces the status quo; whoever may register a job brings one that is missing", async () => {
  expectProblem(await ada.put("/specs/lab:modifiers:Own", { schema: {} }), "forbidden");
  expectProblem(await ada.put("/specs/new", { schema: {} }, missing), "forbidden", /superuser/);
  expectProblem(await vera.put("/specs/rotate", { schema: {} }, missing), "forbidden");
  expectProblem(await lina.put("/specs/attic:modifiers:Own", { schema: {} }, missing), "forbidden");
  assert.equal((await lina.put("/specs/lab:modifiers:Own", { schema: {} }, missing)).status, 201);
  expectProblem(await ada.put("/specs/lab:modifiers:Own", { schema: { a: 1 } }, missing), "precondition-failed");
  expectProblem(await ada.put("/specs/rotate", { schema: {} }, missing), "precondition-failed");
  expectProblem(await ada.put("/specs/lab:modifiers:Own", { schema: { a: 1 } }), "forbidden");
  assert.deepEqual((await ada.get("/specs/lab:modifiers:Own")).body.schema, {});
  expectProblem(await lina.get("/specs/attic:modifiers:Own"), "job-not-found");
});

test("of many who bring the same missing spec at once, one does", async () => {
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ada.put("/specs/lab:modifiers:Race", { schema: { n } }, missing)),
  );
  assert.deepEqual(all.map(({ status }) => status).sort(), [201, ...Array(7).fill(412)]);
});

test("a condition on what is registered keeps one deploy from undoing another", async () => {
  const { checksum } = (await admin.put("/specs/match", { schema: { a: 1 } })).body;
  const next = await admin.put("/specs/match", { schema: { a: 2 } }, { "if-match": `"${checksum}"` });
  assert.equal(next.status, 200);
  expectProblem(
    await admin.put("/specs/match", { schema: { a: 3 } }, { "if-match": `"${checksum}"` }),
    "precondition-failed",
  );
  expectProblem(await admin.put("/specs/match-2", { schema: {} }, { "if-match": "*" }), "precondition-failed");
  expectBadFields(await admin.put("/specs/match", { schema: {} }, { "if-match": checksum }), "/header/if-match");
  expectBadFields(await admin.put("/specs/match", { schema: {} }, { "if-none-match": '"x"' }), "/header/if-none-match");
});

test("many specs are registered together, and in the order given", async () => {
  const { status, body } = await admin.post("/specs", {
    specs: [
      { id: "many-a", schema: integer, output: number },
      { id: "hall:modifiers:B", schema: {}, queue: "slow" },
      { id: "rotate", schema: number },
    ],
  });
  assert.equal(status, 200);
  assert.deepEqual(
    body.items.map(({ id, job, created, change }: Record<string, { kind: string }>) => [
      id,
      job,
      created,
      change?.kind,
    ]),
    [
      ["many-a", "@global:specs:many-a", true, undefined],
      ["hall:modifiers:B", "hall:modifiers:B", true, undefined],
      ["rotate", "@global:specs:rotate", false, "compatible"],
    ],
  );
  const listed = (await vera.get("/specs?room=hall")).body;
  assert.deepEqual(
    listed.items.map(({ id, queue }: Record<string, string>) => [id, queue]),
    [["hall:modifiers:B", "slow"]],
  );
  assert.ok((await vera.get("/specs")).body.items.some(({ id }: { id: string }) => id === "many-a"));
  assert.equal((await lina.get("/specs?room=hall")).body.total, 0);
});

test("of many specs every fault is told, and nothing is registered", async () => {
  const before = await total();
  const reply = await admin.post("/specs", {
    specs: [
      { id: "good", schema: {} },
      { id: "bad-schema", schema: { minimum: "x" } },
      { id: "bad-output", schema: {}, output: { minimum: "x" } },
      { id: "lab:nonsense:X", schema: {} },
      { id: "@room:modifiers:X", schema: {} },
      { id: "x".repeat(300), schema: {} },
      { id: "@global:specs:good", schema: {} },
    ],
  });
  expectBadFields(
    reply,
    ...["/specs/1/schema/minimum", "/specs/2/output/minimum", "/specs/3/id", "/specs/4/id", "/specs/5/id"],
    "/specs/6/id",
  );
  assert.equal(await total(), before);
  expectBadFields(await admin.post("/specs", { specs: [] }), "/specs");
  expectProblem(await ada.post("/specs", { specs: [{ id: "lab:modifiers:Q", schema: {} }] }), "forbidden");
  expectBadFields(await admin.put("/specs/out", { schema: {}, output: { minimum: "x" } }), "/output/minimum");
  expectProblem(await admin.put("/specs/lab:nonsense:X", { schema: {} }), "invalid-category");
});

test("comparing registers nothing, and is for everybody who sees the job", async () => {
  await admin.put("/specs/compared", { schema: number });
  const before = await total();
  const { body } = await vera.post("/specs/diff", { id: "compared", schema: integer, output: {} });
  assert.equal(body.change.kind, "breaking");
  assert.equal(body.job, "@global:specs:compared");
  assert.notEqual(body.checksum, body.registered_checksum);
  const unknown = await vera.post("/specs/diff", { id: "never-seen", schema: integer });
  assert.deepEqual([unknown.body.registered_checksum, unknown.body.change], [null, null]);
  expectBadFields(await vera.post("/specs/diff", { id: "compared", schema: { minimum: "x" } }), "/schema/minimum");
  assert.equal(await total(), before);
  assert.deepEqual((await admin.get("/specs/compared")).body.schema, number);
});

test("what workers brought becomes a spec by being registered as one, and outlives them", async () => {
  const { body } = await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Kept", schema: {} });
  assert.equal((await ada.get("/specs/lab:modifiers:Kept")).body.source, "worker");
  expectProblem(await admin.delete("/specs/lab:modifiers:Kept"), "spec-in-use", /last worker/);
  const put = await admin.put("/specs/lab:modifiers:Kept", { schema: {} });
  assert.equal(put.body.change.kind, "same");
  assert.equal((await ada.get("/specs/lab:modifiers:Kept")).body.source, "explicit");
  assert.equal((await ada.delete(`/workers/${body.worker_id}`)).status, 204);
  assert.equal((await ada.get("/specs/lab:modifiers:Kept")).status, 200);
});

test("a spec is deleted only while no task waits for it, and a worker does not bring it back", async () => {
  const job = "lab:modifiers:Gone";
  await admin.put(`/specs/${job}`, { schema: {} });
  const { worker_id } = (await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Gone", schema: {} })).body;
  const task = (await ada.post(`/rooms/lab/tasks/${job}`, {})).body;
  expectProblem(await ada.delete(`/specs/${job}`), "forbidden");
  expectProblem(await admin.delete(`/specs/${job}`), "spec-in-use", /Tasks wait/);
  await ada.post(`/tasks/${task.id}/cancel`);
  assert.equal((await admin.delete(`/specs/${job}`)).status, 204);
  expectProblem(await ada.get(`/specs/${job}`), "job-not-found");
  expectProblem(await admin.delete(`/specs/${job}`), "job-not-found");
  expectProblem(await ada.post(`/rooms/lab/tasks/${job}`, {}), "job-not-found");
  assert.equal((await ada.get(`/tasks/${task.id}`)).body.status, "cancelled");
  assert.equal((await ada.patch(`/workers/${worker_id}`)).status, 200);
  expectProblem(await ada.get(`/specs/${job}`), "job-not-found");
  assert.equal((await admin.put(`/specs/${job}`, { schema: { a: 1 } })).status, 201);
});

test("versions tell which checksums the workers announce, and whether somebody can run the job", async () => {
  const job = "lab:modifiers:Rolling";
  const versions = async () => (await vera.get(`/jobs/${job}/versions`)).body;
  const old = (await admin.put(`/specs/${job}`, { schema: integer })).body.checksum;
  const nobody = await versions();
  assert.deepEqual([nobody.runnable, nobody.reason], [false, "no worker serves this job"]);
  assert.deepEqual(nobody.versions, [{ checksum: old, matching: true, worker_count: 0, workers: [] }]);
  const { worker_id } = (await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Rolling", schema: integer }))
    .body;
  assert.equal((await versions()).runnable, true);
  const fresh = (await admin.put(`/specs/${job}`, { schema: number })).body.checksum;
  const between = await versions();
  assert.deepEqual(
    [between.checksum, between.runnable, between.reason],
    [fresh, false, `1 worker announces another checksum: ${old}`],
  );
  assert.deepEqual(between.versions, [
    { checksum: fresh, matching: true, worker_count: 0, workers: [] },
    {
      ...{ checksum: old, matching: false, worker_count: 1 },
      workers: [{ id: worker_id, name: null, hostname: null, state: "ONLINE", profile: "rest", draining: false }],
    },
  ]);
  assert.ok(between.since > nobody.since);
  const second = await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Rolling", schema: number });
  assert.equal(second.status, 200);
  const rolled = await versions();
  assert.deepEqual([rolled.runnable, rolled.reason], [true, null]);
  assert.deepEqual(
    rolled.versions.map(({ worker_count }: { worker_count: number }) => worker_count),
    [1, 1],
  );
  expectProblem(await vera.get("/jobs/lab:modifiers:None/versions"), "job-not-found");
  expectProblem(await vera.get(`/jobs/${job}`), "not-found");
});

test("a task that waits for nobody says why, and stops saying so when somebody comes", async () => {
  const job = "lab:modifiers:Waits";
  await admin.put(`/specs/${job}`, { schema: integer });
  const submitted = (await ada.post(`/rooms/lab/tasks/${job}`, { queue: "slow", labels: { gpu: "yes" } })).body;
  const waiting = async () => (await ada.get(`/tasks/${submitted.id}`)).body.waiting;
  assert.equal(submitted.waiting, null);
  assert.equal(await waiting(), "no worker serves this job");
  const join = (worker_id: string, schema: object) =>
    ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Waits", schema, worker_id });
  const plain = (await ada.post("/workers", {})).body.id;
  await join(plain, integer);
  assert.equal(await waiting(), "1 worker lacks a label of gpu=yes");
  const elsewhere = (await ada.post("/workers", { queues: ["fast"], labels: { gpu: "yes" } })).body.id;
  await join(elsewhere, integer);
  assert.equal(await waiting(), "1 worker does not take queue 'slow'; 1 worker lacks a label of gpu=yes");
  const fit = (await ada.post("/workers", { queues: ["slow"], labels: { gpu: "yes" } })).body.id;
  await join(fit, integer);
  assert.equal(await waiting(), null);
  const listed = (await ada.get(`/tasks?job=${job}`)).body.items;
  assert.equal(listed[0].waiting, null);
});

test("a task whose payload the schema of today refuses says so while it waits", async () => {
  const job = "lab:modifiers:Refused";
  const { worker_id } = (await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Refused" })).body;
  const { id } = (await ada.post(`/rooms/lab/tasks/${job}`, {})).body;
  const { attempt } = (await ada.post(`/tasks/${id}/claim`, { worker_id })).body;
  const move = { type: "release", reason: payloadRefused, delayMs: 5_000 } as const;
  await scene.serving.operations.settle(id, { worker: worker_id, attempt }, move);
  assert.match((await ada.get(`/tasks/${id}`)).body.waiting, /refuses its payload/);
  const other = (await ada.post(`/rooms/lab/tasks/${job}`, {})).body.id;
  const held = (await ada.post(`/tasks/${other}/claim`, { worker_id })).body;
  await ada.post(`/tasks/${other}/release`, { lease_token: held.lease_token });
  assert.equal((await ada.get(`/tasks/${other}`)).body.waiting, null, "handed back for another reason");
});
