import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";

const { admin } = await restScene();
const job = "@global:modifiers:Answer";
const { worker_id } = (await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Answer" })).body;

/** In the worker's hands, with the proof of it. */
async function claimed(words: object = {}): Promise<{ path: string; lease_token: string }> {
  await admin.post(`/rooms/lab/tasks/${job}`, { payload: { n: 1 }, ...words });
  const { task } = (await admin.post("/tasks/claim", { worker_id })).body;
  return { path: `/tasks/${task.id}`, lease_token: task.lease_token };
}

/** As everyone sees it: what each may do to it is another matter. */
async function seen(path: string): Promise<object> {
  const { may: _, ...task } = (await admin.get(path)).body;
  return task;
}

const started = [{ status: "running" }];
const histories = {
  started,
  completed: [...started, { status: "completed", result: { ok: [1, null] }, error: "a note" }],
  failed: [...started, { status: "failed", error: "broken", error_code: "E1", error_details: { at: 3 } }],
  "cancelled by whoever holds it": [{ status: "cancelled", error: "enough" }],
};

for (const [name, changes] of Object.entries(histories)) {
  test(`a change answers the task as everyone sees it afterwards: ${name}`, async () => {
    const { path, lease_token } = await claimed();
    for (const change of changes) {
      const { status, body } = await admin.patch(path, { ...change, lease_token });
      assert.equal(status, 200);
      assert.deepEqual(body, await seen(path));
    }
  });
}

test("a failure that leads to another attempt answers the task as it waits for it", async () => {
  const { path, lease_token } = await claimed({ retry: { maxAttempts: 2, baseMs: 60_000 } });
  await admin.post(`${path}/progress`, { current: 3, total: 9, lease_token });
  await admin.patch(path, { status: "running", lease_token });
  const { body } = await admin.patch(path, { status: "failed", error: "once", lease_token });
  assert.equal(body.status, "pending");
  assert.notEqual(body.run_at, null);
  assert.deepEqual(body, await seen(path));
});

test("a task that is handed back answers its new place in the line", async () => {
  const { path, lease_token } = await claimed();
  const { body } = await admin.post(`${path}/release`, { lease_token, checkpoint: { step: 2 } });
  assert.equal(body.status, "pending");
  assert.equal(body.queue_position, 1);
  assert.deepEqual(body, await seen(path));
  await admin.post(`${path}/cancel`);
});

test("a task that its submitter withdraws answers as cancelled, with the note", async () => {
  const { id } = (await admin.post(`/rooms/lab/tasks/${job}`, { payload: {} })).body;
  const { body } = await admin.patch(`/tasks/${id}`, { status: "cancelled", error: "not needed" });
  assert.equal(body.error, "not needed");
  assert.deepEqual(body, await seen(`/tasks/${id}`));
});
