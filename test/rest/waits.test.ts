import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "./scene.ts";
import { refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const user = await scene.caller("user");
const clock = systemClock();
const { waits } = scene.serving.operations;

/** The answer of a long poll, and how long it took. */
async function timed<T>(answer: Promise<T>): Promise<{ answer: T; took: number }> {
  const startedAt = clock.now();
  return { answer: await answer, took: clock.now() - startedAt };
}

test("a read that waits is answered as soon as the task ends, whichever way", async () => {
  for (const status of ["completed", "failed", "cancelled"]) {
    const shop = await workshop(user);
    const { id } = await shop.running();
    const poll = user.get(`/tasks/${id}`, { prefer: "wait=30" });
    await until("the poll waits", () => waits.waiting() === 1);
    const { answer, took } = await timed(Promise.all([poll, user.patch(`/tasks/${id}`, { status })]));
    assert.equal(the(200, answer[0]).status, status);
    assert.equal(answer[0].headers.get("preference-applied"), "wait=30");
    assert.ok(took < 3_000, `${took} ms`);
  }
});

test("a claim, a start, progress and a return do not end the wait", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  let answered = false;
  const poll = user.get(`/tasks/${id}`, { prefer: "wait=30" }).finally(() => {
    answered = true;
  });
  await until("the poll waits", () => waits.waiting() === 1);
  const { lease_token } = await shop.claim();
  the(200, await user.patch(`/tasks/${id}`, { status: "running", lease_token }));
  the(204, await user.post(`/tasks/${id}/progress`, { current: 1, lease_token }));
  the(200, await user.post(`/tasks/${id}/release`, { lease_token }));
  assert.deepEqual([answered, waits.waiting()], [false, 1]);
  the(200, await user.post(`/tasks/${id}/cancel`));
  assert.equal(the(200, await poll).status, "cancelled");
});

test("a wait that is in vain ends on time, with the task as it is", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const { answer, took } = await timed(user.get(`/tasks/${id}`, { prefer: "wait=1" }));
  assert.equal(the(200, answer).status, "pending");
  assert.equal(answer.body.queue_position, 1);
  assert.equal(answer.headers.get("preference-applied"), "wait=1");
  assert.ok(took >= 990 && took < 2_500, `${took} ms`);
});

test("without a wait, or where the task has ended, the answer comes at once and says nothing of waiting", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  for (const prefer of [
    "wait=0",
    "wait=",
    "wait=abc",
    "Wait=30",
    "wait = 30",
    "wait =30",
    "wait= 30",
    "nowait=30",
    "x",
  ]) {
    const { answer, took } = await timed(user.get(`/tasks/${id}`, { prefer }));
    assert.equal(the(200, answer).status, "running");
    assert.equal(answer.headers.get("preference-applied"), null, prefer);
    assert.ok(took < 3_000, `${prefer}: ${took} ms`);
  }
  the(200, await user.patch(`/tasks/${id}`, { status: "completed" }));
  const { answer, took } = await timed(user.get(`/tasks/${id}`, { prefer: "wait=30" }));
  assert.equal(the(200, answer).status, "completed");
  assert.equal(answer.headers.get("preference-applied"), null);
  assert.ok(took < 3_000);
});

test("of a Prefer header the digits after wait= count, among whatever else it says, and a minute at most", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const words: [string, string][] = [
    ["wait=1.9", "wait=1"],
    ["respond-async, wait=2; foo", "wait=2"],
    ["handling=lenient;wait=007,x", "wait=7"],
    ["wait=60", "wait=60"],
    ["wait=61", "wait=60"],
    ["wait=99999999999999999999999999", "wait=60"],
  ];
  const polls = words.map(([prefer]) => user.get(`/tasks/${id}`, { prefer }));
  await until("all polls wait", () => waits.waiting() === words.length);
  the(200, await user.post(`/tasks/${id}/cancel`));
  const applied = (await Promise.all(polls)).map(({ headers }) => headers.get("preference-applied"));
  assert.deepEqual(
    applied,
    words.map(([, effective]) => effective),
  );
});

test("a task that does not exist is not waited for", async () => {
  const path = "/tasks/01993d6c-7a10-7000-8000-000000000000";
  refused(await user.get(path, { prefer: "wait=30" }), 404, "task-not-found");
  refused(await user.get("/tasks/seven", { prefer: "wait=30" }), 422, "invalid-request");
  refused(await scene.stranger.get(path), 401, "unauthorized");
});

test("a wait whose caller hangs up ends at once", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${user.token}`, prefer: "wait=30" };
  const left = fetch(`${scene.url}/v1/tasks/${id}`, { headers, signal: gone.signal });
  await until("the poll waits", () => waits.waiting() === 1);
  gone.abort();
  await assert.rejects(left);
  await until("nobody waits", () => waits.waiting() === 0);
});

test("a task that is deleted while somebody waits for its end is answered as it ended, or as gone", async () => {
  const shop = await workshop(user);
  const { id } = await shop.submit();
  const poll = user.get(`/tasks/${id}`, { prefer: "wait=30" });
  await until("the poll waits", () => waits.waiting() === 1);
  the(200, await user.post(`/tasks/${id}/cancel`));
  the(204, await user.delete(`/tasks/${id}`));
  assert.ok([200, 404].includes((await poll).status));
});

test("1,000 polls at once are all answered when their tasks end, and others are served meanwhile", async () => {
  const shop = await workshop(user);
  const parent = await shop.submit();
  const tasks = Array.from({ length: 1_000 }, () => ({ job: shop.job, parent_id: parent.id }));
  const ids: string[] = the(202, await user.post(`/rooms/${shop.room}/tasks`, { tasks })).items.map(
    ({ id }: { id: string }) => id,
  );
  const polls = ids.map((id) => user.get(`/tasks/${id}`, { prefer: "wait=60" }));
  await until("all polls wait", () => waits.waiting() === 1_000, 20_000);
  const { took } = await timed(admin.get("/rooms/lab/tasks"));
  assert.ok(took < 3_000, `${took} ms`);
  assert.equal(the(200, await user.post(`/tasks/${parent.id}/cancel`)).cancelled_children, 1_000);
  const answers = await Promise.all(polls);
  assert.deepEqual(
    answers.map(({ body }) => [body.id, body.status]),
    ids.map((id) => [id, "cancelled"]),
  );
  assert.equal(waits.waiting(), 0);
});

test("whoever waits when the server stops is answered with what is known", async () => {
  const brief = await restScene();
  const asker = await brief.caller("user");
  const shop = await workshop(asker);
  const { id } = await shop.submit({ delay_seconds: 60 });
  const { operations } = brief.serving;
  const poll = asker.get(`/tasks/${id}`, { prefer: "wait=60" });
  const claim = asker.post("/tasks/claim", { worker_id: shop.worker }, { prefer: "wait=60" });
  await until("both wait", () => operations.waits.waiting() === 1 && operations.waitingClaims() === 1);
  const { took } = await timed(brief.stop());
  assert.equal(the(200, await poll).status, "pending");
  assert.deepEqual(the(200, await claim), { task: null });
  assert.ok(took < 5_000, `${took} ms`);
});
