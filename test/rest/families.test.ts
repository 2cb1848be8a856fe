import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { restScene } from "./scene.ts";
import { type Body, history, lines, refused, the, type Workshop, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const user = await scene.caller("user");

/** A running coordinator, and children that wait. */
async function family(children: number, words: object = {}) {
  const coordination = await workshop(user, words);
  const work = await workshop(user);
  const parent = await coordination.running();
  const made = [];
  for (let n = 0; n < children; n += 1) made.push(await work.submit({ parent_id: parent.id }));
  return { coordination, work, parent, children: made };
}

async function end(work: Workshop, status: string): Promise<string> {
  const { id, lease_token } = await work.claim();
  the(200, await user.patch(`/tasks/${id}`, { status: "running", lease_token }));
  the(200, await user.patch(`/tasks/${id}`, { status, lease_token }));
  return id;
}

const get = async (id: string): Promise<Body> => the(200, await user.get(`/tasks/${id}`));

test("a task that is left to its children is in nobody's hands and completes with the last of them", async () => {
  const { work, parent } = await family(3);
  const deferred = the(
    200,
    await user.post(`/tasks/${parent.id}/defer`, { total: 3, lease_token: parent.lease_token }),
  );
  assert.deepEqual([deferred.status, deferred.worker_id], ["running", null]);
  refused(await user.patch(`/tasks/${parent.id}`, { status: "completed" }), 409, "lease-lost");
  await end(work, "completed");
  await end(work, "completed");
  assert.equal((await get(parent.id)).status, "running");
  const last = user.get(`/tasks/${parent.id}`, { prefer: "wait=10" });
  await end(work, "completed");
  assert.equal(the(200, await last).status, "completed");
  const told = await history(admin, parent.id);
  assert.deepEqual(told.slice(0, 4), ["submitted", "claimed", "started", "deferred"]);
  assert.equal(told.filter((type) => type === "counted").length, 3);
});

test("children that ended before their parent was deferred count too", async () => {
  const { work, parent } = await family(2);
  await end(work, "completed");
  await end(work, "completed");
  assert.equal((await get(parent.id)).status, "running");
  const deferred = the(200, await user.post(`/tasks/${parent.id}/defer`, { total: 2 }));
  assert.equal(deferred.status, "completed");
  const childless = await family(0);
  assert.equal(the(200, await user.post(`/tasks/${childless.parent.id}/defer`, { total: 0 })).status, "completed");
});

test("a parent of which a child failed fails when all have ended, and says how many", async () => {
  const { work, parent } = await family(2);
  the(200, await user.post(`/tasks/${parent.id}/defer`, { total: 2 }));
  await end(work, "failed");
  assert.equal((await get(parent.id)).status, "running");
  await end(work, "completed");
  const ended = the(200, await user.get(`/tasks/${parent.id}`, { prefer: "wait=10" }));
  assert.deepEqual(
    [ended.status, ended.error_code, ended.error],
    ["failed", "PartialChildFailure", "1 of 2 children failed"],
  );
});

test("a deferral is for the holder of a running task, with a number of children", async () => {
  const { coordination, parent } = await family(0);
  const defer = (body: object, who = user) => who.post(`/tasks/${parent.id}/defer`, body);
  for (const body of [{}, { total: -1 }, { total: 1.5 }, { total: "1" }, { total: 2 ** 31 }]) {
    refused(await defer(body), 422, "invalid-request");
  }
  refused(await defer({ total: 1 }, await scene.caller("other")), 403, "forbidden");
  refused(await defer({ total: 1, lease_token: "stolen" }), 409, "lease-lost");
  the(200, await defer({ total: 1 }));
  const held = await coordination.held();
  refused(await user.post(`/tasks/${held.id}/defer`, { total: 1 }), 409, "invalid-task-transition");
});

test("cancelling a task takes its open children with it, at every depth, and says how many", async () => {
  const { work, parent, children } = await family(3);
  const grandchild = await work.submit({ parent_id: children[2].id });
  const done = await end(work, "completed");
  assert.equal(done, children[0].id);
  const { task, cancelled_children } = the(200, await user.post(`/tasks/${parent.id}/cancel`));
  assert.deepEqual([task.id, task.status, cancelled_children], [parent.id, "cancelled", 3]);
  for (const { id } of [children[1], children[2], grandchild]) assert.equal((await get(id)).status, "cancelled");
  assert.equal((await get(done)).status, "completed");
  assert.deepEqual((await lines(admin, grandchild.id, "cancelled"))[0].data, { reason: "parent_cancelled" });
});

test("a cancel by PATCH reaches the children as well", async () => {
  const { parent, children } = await family(2);
  the(200, await user.patch(`/tasks/${parent.id}`, { status: "cancelled", lease_token: parent.lease_token }));
  await until("the children are cancelled", async () => {
    const states = await Promise.all(children.map(async ({ id }) => (await get(id)).status));
    return states.every((status) => status === "cancelled");
  });
});

test("children are listed newest first, a page at a time, and are no secret kept from those who see the room", async () => {
  const { parent, children } = await family(3);
  const ids = children.map(({ id }) => id).reverse();
  const page = the(200, await user.get(`/tasks/${parent.id}/children?limit=2`));
  assert.deepEqual(
    [page.items.map(({ id }: Body) => id), page.total, page.limit, page.offset],
    [ids.slice(0, 2), 3, 2, 0],
  );
  const rest = the(200, await user.get(`/tasks/${parent.id}/children?limit=2&offset=2`));
  assert.deepEqual([rest.items.map(({ id }: Body) => id), rest.total], [ids.slice(2), 3]);
  assert.deepEqual(the(200, await user.get(`/tasks/${ids[0]}/children`)).items, []);
  refused(await user.get("/tasks/01993d6c-7a10-7000-8000-000000000000/children"), 404, "task-not-found");
  refused(await user.get(`/tasks/${parent.id}/children?limit=501`), 422, "invalid-request");
  const elsewhere = await scene.caller("user", { rooms: ["elsewhere"] });
  refused(await elsewhere.get(`/tasks/${parent.id}/children`), 404, "task-not-found");
});

test("a final task runs again as a new one, which says of which; while it is open it does not", async () => {
  const shop = await workshop(user);
  const words = { payload: { n: 1 }, priority: 3, queue: "fast" };
  const { id } = await shop.running(words);
  refused(await user.post(`/tasks/${id}/retry`), 409, "task-open");
  the(200, await user.patch(`/tasks/${id}`, { status: "failed", error: "no" }));
  const before = await get(id);
  const answer = await user.post(`/tasks/${id}/retry`);
  const again = the(202, answer);
  assert.notEqual(again.id, id);
  assert.equal(answer.headers.get("location"), `/v1/tasks/${again.id}`);
  assert.deepEqual(
    [again.retry_of, again.status, again.attempt, again.payload, again.priority, again.queue, again.error],
    [id, "pending", 0, { n: 1 }, 3, "fast", null],
  );
  assert.deepEqual(await get(id), before, "final stays final");
  assert.equal((await shop.claim()).id, again.id);
  refused(await user.post("/tasks/01993d6c-7a10-7000-8000-000000000000/retry"), 404, "task-not-found");
  the(204, await user.delete(`/workers/${shop.worker}`));
  refused(await user.post(`/tasks/${id}/retry`), 404, "job-not-found");
});

test("a retried child is a child again while its parent is open, and nobody's afterwards", async () => {
  const { work, parent, children } = await family(1);
  await end(work, "failed");
  const again = the(202, await user.post(`/tasks/${children[0].id}/retry`));
  assert.equal(again.parent_id, parent.id);
  the(200, await user.post(`/tasks/${parent.id}/cancel`));
  assert.equal((await get(again.id)).status, "cancelled");
  assert.equal(the(202, await user.post(`/tasks/${children[0].id}/retry`)).parent_id, null);
});

test("a final task is deleted with its history, by its submitter or a superuser; an open one is not", async () => {
  const shop = await workshop(user);
  const [mine, theirs] = [await shop.submit(), await shop.submit({}, admin)];
  refused(await user.delete(`/tasks/${mine.id}`), 409, "task-open");
  for (const { id } of [mine, theirs]) the(200, await admin.patch(`/tasks/${id}`, { status: "cancelled" }));
  refused(await user.delete(`/tasks/${theirs.id}`), 403, "forbidden");
  refused(await scene.stranger.delete(`/tasks/${mine.id}`), 401, "unauthorized");
  const answer = await user.delete(`/tasks/${mine.id}`);
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  the(204, await admin.delete(`/tasks/${theirs.id}`));
  for (const path of ["", "/events", "/logs", "/children", "/stream"]) {
    refused(await user.get(`/tasks/${mine.id}${path}`), 404, "task-not-found");
  }
  refused(await user.delete(`/tasks/${mine.id}`), 404, "task-not-found");
  assert.equal(the(200, await user.get(`/rooms/${shop.room}/tasks`)).total, 0);
});
