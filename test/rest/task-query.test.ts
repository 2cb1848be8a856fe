// Lists of tasks by a query: what they find, how they go on, and what they are told.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { expectBadFields } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const ada = await scene.caller("ada");
const lina = await scene.caller("lina", { rooms: ["lab"] });

/** In the order of their making. */
const made: string[] = [];

before(async () => {
  for (const name of ["Rotate", "Crop"]) await admin.put("/rooms/lab/jobs", { category: "modifiers", name });
  const { worker_id: worker } = (await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Blur" })).body;
  const jobs = ["lab:modifiers:Rotate", "lab:modifiers:Crop", "@global:modifiers:Blur"];
  for (let n = 0; n < 12; n += 1) {
    const room = n % 4 === 3 ? "hall" : "lab";
    const payload = { angle: 10 * n, user: { id: n % 3 } };
    const { body } = await ada.post(`/rooms/${room}/tasks/${jobs[n % 3]}`, { payload, priority: n % 2 });
    made.push(body.id);
  }
  const { tasks } = (await admin.post("/tasks/claim", { worker_id: worker, limit: 3, start: true })).body;
  const [one, two, three] = tasks;
  const settle = (task: { id: string; lease_token: string }, words: object) =>
    admin.patch(`/tasks/${task.id}`, { ...words, lease_token: task.lease_token });
  await settle(one, { status: "failed", error: "Disk FULL on node 3", error_code: "disk", error_details: { free: 0 } });
  await settle(two, { status: "completed", result: { frames: 7 } });
  await settle(three, { status: "failed", error: "timeout", error_code: "slow" });
});

async function list(q: string, caller: Caller = ada, more = "") {
  const { body, status } = await caller.get(`/tasks?q=${encodeURIComponent(q)}${more}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const places = async (q: string, caller?: Caller): Promise<number[]> =>
  (await list(q, caller)).items.map(({ id }: { id: string }) => made.indexOf(id));

test("a query finds what it says, newest first, with its total", async () => {
  assert.deepEqual(await places("job:lab:*:Rotate"), [9, 6, 3, 0]);
  assert.deepEqual(await places("crop"), [10, 7, 4, 1]);
  assert.deepEqual(await places("state:failed").then((found) => found.length), 2);
  assert.deepEqual(await places("error~full"), await places("code:disk"));
  assert.deepEqual(await places("output.frames=7"), await places("state:completed"));
  assert.deepEqual(await places("input.user.id=1 room:hall"), [7]);
  assert.deepEqual(await places("room:hall -job:*Crop"), [11, 3]);
  assert.deepEqual(await places(`id:${made[4]}`), [4]);
  assert.deepEqual(await places(made[4] as string), [4]);
  assert.deepEqual(await places("priority>0 job:*Rotate*"), [9, 3]);
  assert.deepEqual(await places("age>1h"), []);
  assert.equal((await places("age<1h")).length, 12);
  const { total, total_exact, next_cursor, scanned_through } = await list("state:open");
  assert.deepEqual([total, total_exact, next_cursor, scanned_through], [9, true, null, null]);
});

test("a query stands beside the other filters, and beside the room of a path", async () => {
  const { body } = await ada.get("/tasks?q=crop&status=pending&job=lab:modifiers:Crop&limit=2&offset=1");
  assert.deepEqual([body.items.map(({ id }: { id: string }) => made.indexOf(id)), body.total], [[7, 4], 4]);
  const inRoom = (await ada.get("/rooms/hall/tasks?q=crop")).body;
  assert.deepEqual(
    inRoom.items.map(({ id }: { id: string }) => made.indexOf(id)),
    [7],
  );
});

test("a cursor leads through all of it, with and without a query", async () => {
  for (const query of ["limit=5", "limit=5&q=-state:cancelled", "limit=5&payloads=false"]) {
    const found: number[] = [];
    let cursor = "";
    for (let pages = 0; pages < 4; pages += 1) {
      const { body } = await ada.get(`/tasks?${query}${cursor}`);
      assert.deepEqual([body.total, body.total_exact], [12, true], query);
      found.push(...body.items.map(({ id }: { id: string }) => made.indexOf(id)));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    assert.deepEqual(found, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], query);
  }
  expectBadFields(await ada.get("/tasks?cursor=nonsense"), "/query/cursor");
});

test("a list without payloads says null for what is long, and all else as ever", async () => {
  const whole = (await list("state:final")).items;
  const bare = (await list("state:final", ada, "&payloads=false")).items;
  const long = { payload: null, result: null, error_details: null };
  assert.deepEqual(
    bare,
    whole.map((task: object) => ({ ...task, ...long })),
  );
  assert.ok(whole.some(({ error_details: details }: { error_details: unknown }) => details !== null));
});

test("a count says how many, and in which states", async () => {
  const { body } = await ada.get("/tasks/count?q=room:lab,hall");
  const by_state = { pending: 9, claimed: 0, running: 0, completed: 1, failed: 2, cancelled: 0 };
  assert.deepEqual(body, { count: 12, exact: true, by_state });
  assert.equal((await ada.get("/tasks/count")).body.count, 12);
  assert.equal((await lina.get("/tasks/count")).body.count, 9);
});

test("a token finds nothing in rooms that it may not see, however it asks", async () => {
  assert.equal((await list("", lina)).total, 9);
  assert.deepEqual(await places("room:hall", lina), []);
  assert.deepEqual(await places("-room:lab", lina), []);
  assert.deepEqual(await places(`id:${made[3]}`, lina), []);
});

test("a query that is none is refused with its place", async () => {
  for (const path of ["/tasks", "/rooms/lab/tasks", "/tasks/count"]) {
    const reply = await ada.get(`${path}?q=${encodeURIComponent("state:failed age>soon")}`);
    expectBadFields(reply, "/query/q");
    assert.match(reply.body.errors[0].detail, /^at character 18: expected a time such as/);
  }
  expectBadFields(await ada.get(`/tasks?q=${"x".repeat(2_001)}`), "/query/q");
});

test("a task says who submitted it, and is found by that, also as a retry of somebody else's", async () => {
  assert.deepEqual([(await places("submitter:ada")).length, await places("-submitter:ada")], [12, []]);
  const [failed] = (await list("state:failed room:lab")).items;
  const again = (await admin.post(`/tasks/${failed.id}/retry`)).body;
  const fresh = (await lina.post("/rooms/lab/tasks/lab:modifiers:Crop", { payload: {} })).body;
  assert.deepEqual([failed.submitter, again.submitter, fresh.submitter], ["ada", "admin", "lina"]);
  const found = (await list("submitter:lina,admin", ada, "&payloads=false")).items;
  assert.deepEqual(
    found.map(({ id, submitter }: { id: string; submitter: string }) => [id, submitter]),
    [
      [fresh.id, "lina"],
      [again.id, "admin"],
    ],
  );
  assert.deepEqual((await list("submitter:ADA")).items, [], "users are told apart by the case of their letters");
  assert.equal((await list("submitter:ada", lina)).total, 9, "of what is in sight");
});
