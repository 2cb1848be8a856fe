// Cancelling and retrying all that a query picks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const ada = await scene.caller("ada");
const bob = await scene.caller("bob");
const vera = await scene.caller("vera", { role: "viewer" });
await admin.put("/rooms/lab/jobs", { category: "modifiers", name: "Rotate" });
await admin.put("/rooms/lab/jobs", { category: "modifiers", name: "Crop" });

async function submitted(count: number, payload: object, caller: Caller = ada, job = "Rotate"): Promise<string[]> {
  const tasks = Array.from({ length: count }, () => ({ job: `lab:modifiers:${job}`, payload }));
  const { body } = await caller.post("/rooms/lab/tasks", { tasks });
  return body.items.map(({ id }: { id: string }) => id);
}

async function over(caller: Caller, id: string) {
  let act = (await caller.get(`/acts/${id}`)).body;
  await until("the act is over", async () => {
    act = (await caller.get(`/acts/${id}`)).body;
    return act.state !== "running";
  });
  return act;
}

async function done(caller: Caller, words: object) {
  const reply = await caller.post("/tasks/acts", words);
  assert.equal(reply.status, 202, reply.text);
  assert.equal(reply.headers.get("location"), `/v1/acts/${reply.body.id}`);
  return over(caller, reply.body.id);
}

const count = async (q: string): Promise<number> =>
  (await admin.get(`/tasks/count?q=${encodeURIComponent(q)}`)).body.count;

test("all that match are cancelled, with the note, and nothing else is", async () => {
  const [first] = await submitted(250, { batch: 1 });
  await submitted(5, { batch: 2 });
  const act = await done(ada, { act: "cancel", q: "input.batch=1 state:open", note: "not today", expect: 250 });
  assert.deepEqual(
    [act.state, act.matched, act.done, act.skipped, act.failed, act.errors, act.by],
    ["done", 250, 250, 0, 0, [], "ada"],
  );
  assert.equal(await count("input.batch=1 state:cancelled"), 250);
  assert.equal(await count("input.batch=2 state:pending"), 5);
  const { body } = await ada.get(`/tasks/${first}`);
  assert.equal(body.error, "not today");
  const { items } = (await ada.get(`/tasks/${first}/events`)).body;
  assert.deepEqual([items.length, items[1].data.reason, items[1].data.actor], [2, `act ${act.id}`, "ada"]);
  const audit = (await admin.get("/audit?kind=act")).body.items;
  assert.deepEqual([audit.length, audit[0].action, audit[0].target_id ?? audit[0].target], [1, "tasks.cancel", act.id]);
});

test("all that match are retried once, and those with a successor not again", async () => {
  const [alone] = await submitted(120, { batch: 3 }, ada, "Crop");
  await done(ada, { act: "cancel", q: "input.batch=3" });
  assert.equal((await ada.post(`/tasks/${alone}/retry`)).status, 202);
  const q = "job:*Crop state:cancelled input.batch=3";
  const first = await done(ada, { act: "retry", q });
  assert.deepEqual([first.matched, first.done, first.skipped, first.skips.retried], [120, 119, 1, 1]);
  assert.equal(await count("job:*Crop state:pending input.batch=3"), 120);
  const second = await done(ada, { act: "retry", q });
  assert.deepEqual([second.matched, second.done, second.skipped, second.skips.retried], [120, 0, 120, 120]);
  const open = await done(ada, { act: "retry", q: "job:*Crop state:open" });
  assert.deepEqual([open.done, open.skipped, open.skips.open], [0, 120, 120], "what is open is not retried");
});

test("what is another's stays as it is", async () => {
  await submitted(3, { batch: 4 });
  await submitted(2, { batch: 4 }, bob);
  const act = await done(bob, { act: "cancel", q: "input.batch=4" });
  assert.deepEqual([act.matched, act.done, act.skipped], [5, 2, 3]);
  assert.deepEqual(act.skips, { forbidden: 3, over: 0, open: 0, retried: 0, gone: 0 });
  const again = await done(bob, { act: "cancel", q: "input.batch=4" });
  assert.deepEqual(again.skips, { forbidden: 3, over: 2, open: 0, retried: 0, gone: 0 }, "and why it was left is told");
  expectProblem(await vera.post("/tasks/acts", { act: "cancel", q: "" }), "forbidden");
  const { total } = (await bob.get("/acts")).body;
  assert.ok(total >= 5, "whoever sees all rooms sees all acts");
  const lina = await scene.caller("lina", { rooms: ["lab"] });
  assert.equal((await lina.get("/acts")).body.total, 0);
  expectProblem(await lina.get(`/acts/${act.id}`), "act-not-found");
  expectProblem(await ada.delete(`/acts/${act.id}`), "forbidden");
  assert.equal((await bob.delete(`/acts/${act.id}`)).body.state, "done", "what is over stays as it is");
});

test("more than was expected is not touched, and a query that is none is refused with its place", async () => {
  await submitted(4, { batch: 5 });
  expectProblem(await ada.post("/tasks/acts", { act: "cancel", q: "input.batch=5", expect: 3 }), "precondition-failed");
  assert.equal(await count("input.batch=5 state:pending"), 4);
  expectBadFields(await ada.post("/tasks/acts", { act: "cancel", q: "state:gone" }), "/q");
  expectBadFields(await ada.post("/tasks/acts", { act: "delete", q: "" }), "/act");
  expectProblem(await ada.get("/acts/01993d6c-7b32-7000-8000-4c5d6e7f8091"), "act-not-found");
  expectProblem(await ada.delete("/acts/01993d6c-7b32-7000-8000-4c5d6e7f8091"), "act-not-found");
});

test("an act that is stopped touches nobody else", async () => {
  const batches = [6, 6, 6];
  for (const batch of batches) await submitted(1_000, { batch });
  const { body } = await ada.post("/tasks/acts", { act: "cancel", q: "input.batch=6" });
  const stopped = (await ada.delete(`/acts/${body.id}`)).body;
  assert.equal(stopped.state, "stopped");
  assert.notEqual(stopped.finished_at, null);
  assert.ok(stopped.matched < 3_000, "it had not come to all of them");
  // Those whose turn it was are done all the same, and may be counted later.
  const last = await count("input.batch=6 state:cancelled");
  assert.ok(last <= stopped.matched, `${last} of ${stopped.matched}`);
  const again = (await ada.get(`/acts/${body.id}`)).body;
  assert.ok(again.done <= stopped.matched, `${again.done} of ${stopped.matched}`);
  assert.deepEqual({ ...again, done: stopped.done }, stopped);
});
