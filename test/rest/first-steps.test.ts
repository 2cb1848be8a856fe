import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const job = "@global:modifiers:Rotate";
const schema = { type: "object", properties: { angle: { type: "number" } }, required: ["angle"] };

test("a task goes from curl to curl: registered, submitted, claimed, started, completed, and told", async () => {
  const registered = await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Rotate", schema });
  assert.equal(registered.status, 201);
  const { worker_id } = registered.body;
  const submitted = await admin.post(
    `/rooms/lab/tasks/${job}`,
    '{"payload": {"angle": 1.50, "big": 12345678901234567890}}',
  );
  assert.equal(submitted.status, 202);
  const { id } = submitted.body;
  assert.equal(submitted.headers.get("location"), `/v1/tasks/${id}`);
  assert.match(
    submitted.text,
    /"payload":\{"angle": 1\.50, "big": 12345678901234567890\}/,
    "payloads pass as they are",
  );
  const { body: claimed } = await admin.post("/tasks/claim", { worker_id });
  assert.equal(claimed.task.id, id);
  const { lease_token } = claimed.task;
  assert.equal((await admin.patch(`/tasks/${id}`, { status: "running", lease_token })).status, 200);
  const completed = await admin.patch(`/tasks/${id}`, { status: "completed", result: { ok: true }, lease_token });
  assert.equal(completed.body.status, "completed");
  assert.deepEqual(completed.body.result, { ok: true });
  const { body: events } = await admin.get(`/tasks/${id}/events`);
  assert.deepEqual(
    events.items.map(({ type }: { type: string }) => type),
    ["task.submitted", "task.claimed", "task.started", "task.completed"],
  );
});

test("a payload that does not fit the job's schema is refused by its field, and leaves nothing", async () => {
  const before = (await admin.get("/rooms/lab/tasks")).body.total;
  const refused = await admin.post(`/rooms/lab/tasks/${job}`, { payload: { angle: "much" } });
  assert.equal(refused.status, 422);
  assert.equal(refused.headers.get("content-type"), "application/problem+json");
  assert.deepEqual(
    refused.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ["/payload/angle"],
  );
  assert.equal((await admin.get("/rooms/lab/tasks")).body.total, before);
});

test("what can be asked for is written at /docs and in the OpenAPI document, for everyone", async () => {
  const page = await scene.send("GET", "/docs");
  assert.equal(page.status, 200);
  assert.match(page.text, /submitTask/);
  const { body } = await scene.send("GET", "/v1/openapi.json");
  assert.equal(body.openapi, "3.1.0");
  assert.ok("/v1/tasks/{task_id}" in body.paths);
});

test("what workers and the server say to each other at /work is in the AsyncAPI document, for everyone", async () => {
  assert.ok((await scene.send("GET", "/docs")).text.includes('href="/v1/asyncapi.json"'));
  const { body } = await scene.send("GET", "/v1/asyncapi.json");
  assert.equal(body.asyncapi, "3.0.0");
  assert.ok("assignment" in body.components.messages);
});
