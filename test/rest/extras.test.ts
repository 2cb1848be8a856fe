import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { restScene } from "./scene.ts";
import { type Body, history, lines, pointers, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const user = await scene.caller("user");
const other = await scene.caller("other");
const nobodysId = "01993d6c-7a10-7000-8000-000000000000";

const get = async (id: string): Promise<Body> => the(200, await user.get(`/tasks/${id}`));

test("a released task costs nothing and hands its checkpoint to the next claim, as it was written", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  const answer = await user.post(`/tasks/${id}/release`, '{"checkpoint": {"page": 7.0}}');
  const released = the(200, answer);
  assert.deepEqual([released.status, released.worker_id, released.losses], ["pending", null, 0]);
  const claimed = await user.post("/tasks/claim", { worker_id: shop.worker });
  assert.match(claimed.text, /"checkpoint":\{"page": 7\.0\}/);
  const { attempt, lease_token } = claimed.body.task;
  assert.equal(attempt, 2);
  the(200, await user.patch(`/tasks/${id}`, { status: "running", lease_token }));
  the(200, await user.patch(`/tasks/${id}`, { status: "completed", lease_token }));
  assert.deepEqual(
    (await lines(admin, id, "released")).map(({ data }) => data),
    [{ reason: "released" }],
  );
});

test("a released task may be kept back for a while, and a claimed one may be given back too", async () => {
  const shop = await workshop(user);
  const { id, lease_token } = await shop.held();
  const released = the(200, await user.post(`/tasks/${id}/release`, { delay_seconds: 0.3, lease_token }));
  assert.notEqual(released.run_at, null);
  assert.equal((await user.post("/tasks/claim", { worker_id: shop.worker })).body.task, null);
  const claimed = await user.post("/tasks/claim", { worker_id: shop.worker }, { prefer: "wait=10" });
  assert.equal(claimed.body.task.id, id);
  refused(await user.post(`/tasks/${id}/release`, { lease_token }), 409, "lease-lost");
  refused(await user.post(`/tasks/${id}/release`, { delay_seconds: -1 }), 422, "invalid-request");
  refused(await other.post(`/tasks/${id}/release`, {}), 403, "forbidden");
  refused(await user.post(`/tasks/${nobodysId}/release`, {}), 404, "task-not-found");
});

test("a task of the REST door lives by its worker's beats: there is no lease of its own to extend", async () => {
  const shop = await workshop(user);
  const { id, lease_token } = await shop.running();
  const extend = (body: object, who = user) => who.post(`/tasks/${id}/extend`, body);
  const answer = await extend({ seconds: 60, lease_token });
  refused(answer, 409, "invalid-task-transition");
  assert.match(answer.body.detail, /no lease of its own/);
  for (const seconds of [0, -1, "1", 86_401]) refused(await extend({ seconds }), 422, "invalid-request");
  refused(await extend({}, other), 403, "forbidden");
  assert.equal((await get(id)).status, "running");
});

test("progress says where a task is or how much further it got, and stays with it to the end", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  const report = (body: object) => user.post(`/tasks/${id}/progress`, body);
  const answer = await report({ current: 3, total: 10, message: "rotating" });
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assert.deepEqual((await get(id)).progress, { current: 3, total: 10, message: "rotating" });
  the(204, await report({ increment: 2 }));
  the(204, await report({ increment: 1, message: null }));
  the(200, await user.patch(`/tasks/${id}`, { status: "completed" }));
  assert.deepEqual((await get(id)).progress, { current: 6, total: 10, message: null });
  refused(await report({ current: 7 }), 409, "invalid-task-transition");
});

test("100 steps told at once are all counted, in at most one event a second", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => user.post(`/tasks/${id}/progress`, { increment: 1, total: 100 })),
  );
  for (const answer of answers) the(204, answer);
  await until("all steps are told", async () => (await get(id)).progress.current === 100);
  const told = await lines(admin, id, "progressed");
  assert.equal(told.at(-1).data.current, 100);
  const times = told.map(({ at }) => Date.parse(at));
  for (const [nth, at] of times.entries()) if (nth > 0) assert.ok(at - (times[nth - 1] as number) >= 999);
});

test("progress is for the holder of a running task, and says one thing or the other", async () => {
  const shop = await workshop(user);
  const held = await shop.held();
  for (const _ of [1, 2]) {
    refused(await user.post(`/tasks/${held.id}/progress`, { current: 1 }), 409, "invalid-task-transition");
  }
  const { id } = await shop.running();
  const report = (body: object, who = user) => who.post(`/tasks/${id}/progress`, body);
  for (const body of [{}, { total: 3 }, { current: 1, increment: 1 }]) {
    const answer = await report(body);
    refused(answer, 422, "invalid-request");
    assert.deepEqual(pointers(answer), ["/current"]);
  }
  for (const bad of [-1, 1.5, "1", null, 2 ** 60]) {
    refused(await report({ current: bad }), 422, "invalid-request");
    refused(await report({ increment: bad }), 422, "invalid-request");
  }
  refused(await report({ current: 1 }, other), 403, "forbidden");
  refused(await report({ current: 1, lease_token: "stolen" }), 409, "lease-lost");
  refused(await user.post(`/tasks/${nobodysId}/progress`, { current: 1 }), 404, "task-not-found");
  assert.equal((await get(id)).progress, null);
  the(204, await report({ current: 1 }, admin));
  the(200, await user.patch(`/tasks/${id}`, { status: "cancelled" }));
  refused(await report({ current: 2 }), 409, "invalid-task-transition");
});

test("lines of a log are kept with their level, time and attempt, from the level that was asked for", async () => {
  const shop = await workshop(user);
  const levels = ["debug", "info", "warn", "error"];
  const some = levels.map((level) => ({ level, message: `a ${level}\nline` }));
  const kept = async (logs: object | undefined): Promise<string[]> => {
    const { id } = await shop.running(logs === undefined ? {} : { logs });
    the(204, await user.post(`/tasks/${id}/logs`, { lines: some }));
    return the(200, await user.get(`/tasks/${id}/logs`)).items.map(({ level }: Body) => level);
  };
  assert.deepEqual(await kept(undefined), ["info", "warn", "error"]);
  assert.deepEqual(await kept({ level: "debug" }), levels);
  assert.deepEqual(await kept({ requested: true, level: "error" }), ["error"]);
  assert.deepEqual(await kept({ requested: false }), []);
  const { id } = await shop.running();
  const at = "2026-01-02T03:04:05.678Z";
  the(204, await user.post(`/tasks/${id}/logs`, { lines: [{ message: "first", at }, { message: "second" }] }));
  const page = the(200, await user.get(`/tasks/${id}/logs?limit=1`));
  assert.deepEqual(page.items, [{ at, attempt: 1, level: "info", message: "first" }]);
  assert.deepEqual([page.total, page.limit], [2, 1]);
  assert.equal(the(200, await user.get(`/tasks/${id}/logs?offset=1`)).items[0].message, "second");
});

test("logs are the holder's to write, in good order and not too many at once", async () => {
  const shop = await workshop(user);
  const { id, lease_token } = await shop.running();
  const write = (body: unknown, who = user) => who.post(`/tasks/${id}/logs`, body);
  const line = { message: "x" };
  for (const bad of [
    {},
    { lines: [] },
    { lines: [{}] },
    { lines: [{ message: 7 }] },
    { lines: [{ ...line, level: "loud" }] },
  ]) {
    refused(await write(bad), 422, "invalid-request");
  }
  refused(await write({ lines: Array.from({ length: 1_001 }, () => line) }), 422, "invalid-request");
  refused(await write({ lines: [line] }, other), 403, "forbidden");
  refused(await write({ lines: [line], lease_token: "stolen" }), 409, "lease-lost");
  refused(await user.post(`/tasks/${nobodysId}/logs`, { lines: [line] }), 404, "task-not-found");
  the(204, await write({ lines: Array.from({ length: 1_000 }, () => line), lease_token }));
  assert.equal(the(200, await user.get(`/tasks/${id}/logs`)).total, 1_000);
});

test("a task is cancelled by who submitted it, owns its worker or is a superuser, once", async () => {
  const shop = await workshop(user);
  const cancel = (id: string, who = user) => who.post(`/tasks/${id}/cancel`);
  const theirs = await shop.submit({}, other);
  refused(await cancel(theirs.id), 403, "forbidden");
  refused(await scene.stranger.post(`/tasks/${theirs.id}/cancel`), 401, "unauthorized");
  assert.deepEqual(the(200, await cancel(theirs.id, other)).task.status, "cancelled");
  refused(await cancel(theirs.id, other), 409, "invalid-task-transition");
  const held = await shop.held({}, other);
  const { task, cancelled_children } = the(200, await cancel(held.id));
  assert.deepEqual([task.status, cancelled_children], ["cancelled", 0]);
  const last = await shop.submit();
  the(200, await cancel(last.id, admin));
  assert.equal((await lines(admin, last.id, "cancelled"))[0].data.actor, "admin");
  refused(await cancel(nobodysId), 404, "task-not-found");
});

test("a beat tells which of the worker's tasks were cancelled, once, also when it is the first", async () => {
  const shop = await workshop(user);
  const beat = async () => the(200, await user.patch(`/workers/${shop.worker}`));
  const [first, second] = [await shop.running({}, other), await shop.held({}, other)];
  the(200, await other.post(`/tasks/${first.id}/cancel`));
  const told = await beat();
  assert.deepEqual([told.id, told.cancel, told.commands], [shop.worker, [first.id], []]);
  assert.deepEqual((await beat()).cancel, []);
  the(200, await admin.patch(`/tasks/${second.id}`, { status: "cancelled" }));
  assert.deepEqual((await beat()).cancel, [second.id]);
  assert.deepEqual((await beat()).cancel, []);
});

test("a history is told oldest first, a page at a time, refusals after the moves, and nothing of it to strangers", async () => {
  const shop = await workshop(user);
  const { id, lease_token } = await shop.running();
  the(200, await user.patch(`/tasks/${id}`, { status: "completed", lease_token }));
  for (const status of ["completed", "failed"]) {
    refused(await user.patch(`/tasks/${id}`, { status, lease_token }), 409, "invalid-task-transition");
  }
  const all = ["submitted", "claimed", "started", "completed", "result_refused", "result_refused"];
  assert.deepEqual(await history(user, id), all);
  const paged: string[] = [];
  for (const offset of [0, 2, 4, 6]) {
    const page = the(200, await user.get(`/tasks/${id}/events?limit=2&offset=${offset}`));
    assert.deepEqual([page.total, page.limit, page.offset], [6, 2, offset]);
    paged.push(...page.items.map(({ type }: Body) => type.replace("task.", "")));
  }
  assert.deepEqual(paged, all);
  const three = the(200, await user.get(`/tasks/${id}/events?limit=3&offset=3`)).items;
  assert.deepEqual(
    three.map(({ version, data }: Body) => [version, data?.move ?? null]),
    [
      [4, null],
      [null, "complete"],
      [null, "fail"],
    ],
  );
  assert.equal(the(200, await user.get(`/tasks/${id}/events?limit=0`)).total, 6);
  refused(await user.get(`/tasks/${id}/events?offset=-1`), 422, "invalid-request");
  refused(await user.get(`/tasks/${nobodysId}/events`), 404, "task-not-found");
  refused(await scene.stranger.get(`/tasks/${id}/events`), 401, "unauthorized");
  const elsewhere = await scene.caller("user", { rooms: ["elsewhere"] });
  for (const path of ["", "/events", "/logs", "/stream"]) {
    refused(await elsewhere.get(`/tasks/${id}${path}`), 404, "task-not-found");
  }
});
