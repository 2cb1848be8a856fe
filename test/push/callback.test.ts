import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { type JobWords, pushScene } from "./push-scene.ts";
import { type Received, sends } from "./target.ts";

const scene = await pushScene();
const { admin, target, job, submit, taskWhen, history } = scene;

/** A task whose target has answered 202. */
async function accepted(name: string, words: JobWords = {}): Promise<{ id: string; sent: Received }> {
  const full = await job(name, words);
  target.answers(`/${name}`, sends(202));
  const id = await submit(full);
  await until("the target has promised to call back", () => target.at(`/${name}`).length === 1);
  return { id, sent: target.at(`/${name}`)[0] as Received };
}

/** As a target calls back: with nothing but what it was sent. */
function callBack({ body }: Received, words: object, { token = body.lease_token, url = body.callback_url } = {}) {
  const path = url.slice(scene.url.length);
  return scene.send("POST", path, { token, body: JSON.stringify(words) });
}

test("a target that answers 202 tells the result later, with the lease token alone", async () => {
  const { id, sent } = await accepted("Later");
  const { status, body } = await callBack(sent, { outcome: "succeeded", data: { pages: 3 } });
  assert.equal(status, 200);
  assert.deepEqual(body, { task_id: id, status: "completed", attempt: 1, lease_until: null });
  assert.deepEqual((await taskWhen(id, "completed")).result, { pages: 3 });
  assert.deepEqual(await history(id), ["submitted", "assigned", "completed"]);
});

test("a target may tell of a failure, which the job's policy tries again unless it says that this is no use", async () => {
  const { id, sent } = await accepted("Fails", { policy: { retry: { maxAttempts: 3, baseMs: 1 } } });
  const error = { message: "no paper", code: "E1", details: { tray: 2 } };
  assert.equal((await callBack(sent, { outcome: "failed", error })).body.status, "pending");
  await until("it is sent again", () => target.at("/Fails").length === 2);
  const again = target.at("/Fails")[1] as Received;
  assert.equal((await callBack(again, { outcome: "failed", error: { ...error, retryable: false } })).status, 200);
  const task = await taskWhen(id, "failed");
  assert.deepEqual([task.error, task.error_code, task.error_details], ["no paper", "E1", { tray: 2 }]);
});

test("the same callback twice is one outcome, and answered alike", async () => {
  const { id, sent } = await accepted("Twice");
  const words = { outcome: "succeeded", data: { a: 1, b: [2] } };
  const answers = await Promise.all([callBack(sent, words), callBack(sent, words)]);
  answers.push(await callBack(sent, words));
  for (const { status, body } of answers) assert.deepEqual([status, body.status], [200, "completed"]);
  assert.equal((await history(id)).filter((type) => type === "completed").length, 1);
  const other = await callBack(sent, { outcome: "succeeded", data: { a: 2 } });
  assert.equal(other.status, 409);
  assert.equal((await history(id)).at(-1), "result_refused");
});

test("the same failure told twice counts once, also when it led to another attempt", async () => {
  const { id, sent } = await accepted("TwiceFailed", { policy: { retry: { maxAttempts: 3, baseMs: 60_000 } } });
  const words = { outcome: "failed", error: { message: "no" } };
  for (let time = 0; time < 2; time += 1) assert.equal((await callBack(sent, words)).status, 200);
  assert.deepEqual(await history(id), ["submitted", "assigned", "retried"]);
});

test("progress is told, and gives more time", async () => {
  const { id, sent } = await accepted("Going", { push: { callbackMs: 120_000 } });
  const asked = Date.now();
  const { status, body } = await callBack(sent, { progress: { current: 3, total: 9, message: "page 3" } });
  assert.equal(status, 200);
  assert.ok(Date.parse(body.lease_until) >= asked + 120_000);
  assert.equal((await admin.get(`/tasks/${id}`)).body.progress.current, 3);
  await callBack(sent, { outcome: "succeeded" });
});

test("a callback that comes too late is refused, and that is in the history", async () => {
  const { id, sent } = await accepted("TooLate");
  await admin.post(`/tasks/${id}/cancel`);
  assert.equal((await callBack(sent, { outcome: "succeeded" })).status, 409);
  assert.equal((await callBack(sent, { progress: { current: 1 } })).status, 409);
  assert.deepEqual((await history(id)).slice(2), ["cancelled", "result_refused", "result_refused"]);
});

test("an attempt whose callback never came is lost, and a word of it counts no more", async () => {
  const { id, sent } = await accepted("Lost", { push: { callbackMs: 61_500 } });
  // Not by waiting: a superuser takes the worker away, as if its time were over.
  await admin.delete(`/workers/${(await admin.get(`/tasks/${id}`)).body.worker_id}`);
  await until("it is sent again", () => target.at("/Lost").length === 2);
  assert.equal((await callBack(sent, { outcome: "succeeded" })).status, 409);
  const second = target.at("/Lost")[1] as Received;
  assert.equal((await callBack(second, { outcome: "succeeded" })).status, 200);
  assert.deepEqual(
    (await history(id)).filter((type) => type !== "result_refused"),
    ["submitted", "assigned", "lost", "assigned", "completed"],
  );
});

test("without the token of this very attempt nobody calls back", async () => {
  const { id, sent } = await accepted("Guarded");
  const other = await accepted("Other");
  const words = { outcome: "succeeded" };
  assert.equal((await callBack(sent, words, { token: "wrong" })).status, 401);
  assert.equal((await callBack(sent, words, { token: other.sent.body.lease_token })).status, 401);
  assert.equal((await callBack(sent, words, { token: admin.token })).status, 401);
  const second = sent.body.callback_url.replace("attempt=1", "attempt=2");
  assert.equal((await callBack(sent, words, { url: second })).status, 401);
  const none = sent.body.callback_url.replace("?attempt=1", "");
  assert.equal((await callBack(sent, words, { url: none })).status, 401);
  // Nor does the token open anything else.
  assert.equal((await scene.send("GET", `/v1/tasks/${id}`, { token: sent.body.lease_token })).status, 401);
  const headers = { "leadhand-lease": sent.body.lease_token };
  const path = sent.body.callback_url.slice(scene.url.length);
  const last = { token: admin.token, headers, body: JSON.stringify(words) };
  assert.equal((await scene.send("POST", path, last)).status, 200);
});

test("a large result comes back as any other, and one that is no result is refused while there is time to mend it", async () => {
  const { id, sent } = await accepted("Large", { output: { type: "string" } });
  assert.equal((await callBack(sent, { outcome: "succeeded", data: 5 })).status, 422);
  assert.equal((await callBack(sent, { outcome: "failed" })).status, 422);
  assert.equal((await callBack(sent, {})).status, 422);
  assert.equal((await callBack(sent, { outcome: "succeeded", data: "x".repeat(500_000) })).status, 200);
  assert.equal((await taskWhen(id, "completed")).result.length, 500_000);
});

test("tasks that wait for a callback count as being at the target", async () => {
  const { sent } = await accepted("Full", { push: { maxConcurrent: 1 } });
  const next = await submit("@global:modifiers:Full");
  assert.equal((await admin.get(`/tasks/${next}`)).body.status, "pending");
  await callBack(sent, { outcome: "succeeded" });
  await until("the next is sent", () => target.at("/Full").length === 2);
});
