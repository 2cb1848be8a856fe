import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { type Body, history, lines, pointers, refused, the, type Workshop, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const user = await scene.caller("user");

/** A coordinator that has left its work to so many messages. */
async function deferred(total: number, words: object = {}): Promise<{ shop: Workshop; id: string }> {
  const shop = await workshop(user, words);
  const { id, lease_token } = await shop.running();
  the(200, await user.post(`/tasks/${id}/defer`, { total, lease_token }));
  return { shop, id };
}

const get = async (id: string): Promise<Body> => the(200, await user.get(`/tasks/${id}`));
const count = (id: string, marks: readonly object[], who = user) => who.post(`/tasks/${id}/count`, { marks });
const done = (index: number) => ({ index, status: "done" });

test("messages count on their coordinator once each, and the last of them ends it", async () => {
  const { id } = await deferred(3);
  assert.deepEqual(the(200, await count(id, [done(0), done(0), done(1)])), {
    ...{ status: "running", total: 3, done: 2, failed: 0 },
  });
  assert.equal(the(200, await count(id, [done(1)])).done, 2);
  const task = await get(id);
  assert.deepEqual(task.children, { total: 3, done: 2, failed: 0 });
  assert.deepEqual(task.progress, { current: 2, total: 3, message: null });
  assert.equal(the(200, await count(id, [done(2)])).status, "completed");
  assert.equal(the(200, await count(id, [done(2), done(7)])).done, 3);
  const told = await lines(admin, id, "counted");
  assert.deepEqual(told.at(-1)?.data, { total: 3, done: 3, failed: 0, via: "last_batch_stored" });
});

test("a count of nothing is a sign of life, and says how the coordinator stands", async () => {
  const { id } = await deferred(1);
  assert.deepEqual(the(200, await count(id, [])), { status: "running", total: 1, done: 0, failed: 0 });
  assert.equal((await lines(admin, id, "counted")).length, 0, "it is no move");
  the(200, await count(id, [done(0)]));
  assert.equal(the(200, await count(id, [])).status, "completed");
});

test("a coordinator shows why its messages failed, and that something had no index", async () => {
  const { id } = await deferred(3);
  const failed = (index: number, message: string) => ({ index, status: "failed", error: { code: "E", message } });
  the(200, await count(id, [failed(0, "no space"), failed(1, "no space"), { status: "done" }]));
  const task = await get(id);
  assert.deepEqual([task.status, task.error_code], ["failed", "PartialChildFailure"]);
  assert.deepEqual(task.children, { total: 3, done: 1, failed: 2, unindexed: true, errors: ["no space"] });
});

test("a thousand marks by many callers at once are exact", async () => {
  const { id } = await deferred(1_000);
  const marks = Array.from({ length: 1_000 }, (_, index) => done(index));
  const parts = Array.from({ length: 20 }, (_, n) => marks.filter(({ index }) => index % 20 === n));
  await Promise.all([...parts, ...parts].map(async (part) => the(200, await count(id, part))));
  const task = await get(id);
  assert.deepEqual([task.status, task.children.done], ["completed", 1_000]);
  const ends = (await lines(admin, id, "counted")).filter(({ status }) => status === "completed");
  assert.equal(ends.length, 1);
});

test("whoever may work on the coordinator's job may count, and nobody else", async () => {
  const { shop, id } = await deferred(5);
  the(200, await count(id, [done(0)], await scene.caller("colleague", { jobs: [shop.job] })));
  refused(await count(id, [done(1)], await scene.caller("other", { jobs: ["@global:*"] })), 403, "forbidden");
  refused(await count(id, [done(1)], await scene.caller("viewer", { role: "viewer" })), 403, "forbidden");
  refused(await count(id, [done(1)], await scene.caller("outside", { rooms: ["elsewhere"] })), 403, "forbidden");
  refused(await count("01993d6c-7a10-7000-8000-3f5b6c1d2e3f", [done(1)]), 404, "task-not-found");
  assert.equal((await get(id)).children.done, 1);
});

test("marks that say nothing of use are refused by name", async () => {
  const { id } = await deferred(1);
  for (const mark of [{}, { status: "pending" }, { status: "done", index: -1 }, { status: "done", index: 2 ** 31 }]) {
    refused(await count(id, [mark]), 422, "invalid-request");
  }
  assert.deepEqual(pointers(await count(id, [{ index: 0.5, status: "done" }])), ["/marks/0/index"]);
});

test("on a coordinator that is over nothing is counted, and the answer says how it ended", async () => {
  const { id } = await deferred(2);
  the(200, await user.post(`/tasks/${id}/cancel`));
  assert.deepEqual(the(200, await count(id, [done(0)])), { status: "cancelled", total: 2, done: 0, failed: 0 });
  assert.deepEqual(
    (await history(admin, id)).filter((type) => type === "counted"),
    [],
  );
});

test("events of messages are told to their coordinator by whoever does the work", async () => {
  const { shop, id } = await deferred(2);
  const colleague = await scene.caller("helper", { jobs: [shop.job] });
  const event = { event: "child.batch.stored", message: "stored", fields: { rows: 500 } };
  the(204, await colleague.post(`/tasks/${id}/logs`, { lines: [event] }));
  refused(
    await colleague.post(`/tasks/${id}/logs`, { lines: [{ ...event, event: "batch.stored" }] }),
    403,
    "forbidden",
  );
  const { items } = the(200, await user.get(`/tasks/${id}/logs`));
  assert.deepEqual(
    items.map(({ event, message, fields, attempt }: Body) => [event, message, fields, attempt]),
    [["child.batch.stored", "stored", { rows: 500 }, 1]],
  );
});

test("a deferral says how many it waits for, by number or by its messages", async () => {
  const shop = await workshop(user);
  const { id } = await shop.running();
  refused(await user.post(`/tasks/${id}/defer`, {}), 422, "invalid-request");
  for (const messages of [[{}], [{ queue: "q" }], [{ queue: "", operation: "x" }]]) {
    refused(await user.post(`/tasks/${id}/defer`, { total: 1, messages }), 422, "invalid-request");
  }
});
