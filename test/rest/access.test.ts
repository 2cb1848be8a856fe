// Who may do what: the three roles, and tokens that are for some rooms or some jobs alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectProblem } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const [ada, viewer, bob] = await Promise.all([
  scene.caller("ada"),
  scene.caller("ada", { role: "viewer" }),
  scene.caller("bob"),
]);

async function jobOf(caller: Caller, room: string, name = "X"): Promise<{ job: string; worker: string }> {
  const { status, body } = await caller.put(`/rooms/${room}/jobs`, { category: "modifiers", name });
  assert.ok(status < 300, JSON.stringify(body));
  return { job: body.full_name, worker: body.worker_id };
}

async function taskOf(caller: Caller, room: string, job: string): Promise<string> {
  const { status, body } = await caller.post(`/rooms/${room}/tasks/${job}`, {});
  assert.equal(status, 202, JSON.stringify(body));
  return body.id;
}

async function names(caller: Caller, path: string): Promise<string[]> {
  const { body } = await caller.get(path);
  return body.items.map((item: Record<string, string>) => item.full_name ?? item.room_id);
}

async function ids(caller: Caller, path: string): Promise<string[]> {
  return (await caller.get(path)).body.items.map(({ id }: { id: string }) => id);
}

test("whoever reads a task or a worker is told what he may do to it, and is refused the rest", async () => {
  const { job, worker } = await jobOf(ada, "rights");
  const [held, waiting] = [await taskOf(ada, "rights", job), await taskOf(ada, "rights", job)];
  await ada.post(`/tasks/${held}/claim`, { worker_id: worker });
  const told = async (caller: Caller, id: string) =>
    Object.entries((await caller.get(`/tasks/${id}`)).body.may).flatMap(([right, has]) => (has ? [right] : []));
  assert.deepEqual(await told(ada, held), ["cancel", "retry", "delete", "evict"]);
  assert.deepEqual(await told(ada, waiting), ["cancel", "retry", "delete"]);
  assert.deepEqual(await told(bob, held), ["retry"]);
  assert.deepEqual(await told(viewer, held), []);
  assert.deepEqual(await told(admin, held), ["cancel", "retry", "delete", "evict"]);
  for (const act of ["cancel", "evict"]) expectProblem(await bob.post(`/tasks/${held}/${act}`, {}), "forbidden");
  expectProblem(await bob.delete(`/tasks/${held}`), "forbidden");

  const operates = async (caller: Caller) => {
    const { items } = (await caller.get("/rooms/rights/workers")).body;
    const { may } = (await caller.get(`/workers/${worker}`)).body;
    assert.deepEqual(items[0].may, may, "lists and single ones tell the same");
    return may.operate;
  };
  const all = [await operates(ada), await operates(bob), await operates(viewer), await operates(admin)];
  assert.deepEqual(all, [true, false, false, true]);
  expectProblem(await bob.post(`/workers/${worker}/pause`, {}), "forbidden");
});

test("a viewer reads everything and changes nothing, not even what is the user's own", async () => {
  const { job, worker } = await jobOf(ada, "view");
  const [held, done, waiting] = [
    await taskOf(ada, "view", job),
    await taskOf(ada, "view", job),
    await taskOf(ada, "view", job),
  ];
  const { lease_token } = (await ada.post(`/tasks/${held}/claim`, { worker_id: worker })).body;
  await ada.patch(`/tasks/${held}`, { status: "running" });
  await ada.post(`/tasks/${done}/cancel`);
  const writes = [
    await viewer.post("/workers"),
    await viewer.patch(`/workers/${worker}`),
    await viewer.delete(`/workers/${worker}`),
    await viewer.put("/rooms/view/jobs", { category: "modifiers", name: "X" }),
    await viewer.post(`/rooms/view/tasks/${job}`, {}),
    await viewer.post("/rooms/view/tasks", { tasks: [{ job }] }),
    await viewer.post("/tasks/claim", { worker_id: worker }),
    await viewer.post(`/tasks/${waiting}/claim`, { worker_id: worker }),
    await viewer.patch(`/tasks/${waiting}`, { status: "cancelled" }),
    await viewer.patch(`/tasks/${held}`, { status: "completed" }),
    await viewer.patch(`/tasks/${held}`, { status: "completed", lease_token }),
    await viewer.post(`/tasks/${held}/extend`, { seconds: 60 }),
    await viewer.post(`/tasks/${held}/release`, {}),
    await viewer.post(`/tasks/${held}/defer`, { total: 1 }),
    await viewer.post(`/tasks/${held}/progress`, { current: 1 }),
    await viewer.post(`/tasks/${held}/logs`, { lines: [{ message: "hello" }] }),
    await viewer.post(`/tasks/${waiting}/cancel`),
    await viewer.post(`/tasks/${done}/retry`),
    await viewer.delete(`/tasks/${done}`),
  ];
  for (const refused of writes) expectProblem(refused, "forbidden");
  for (const path of [
    ...["/workers", "/jobs", "/tasks", "/rooms", "/rooms/view/jobs", "/rooms/view/workers", "/rooms/view/tasks"],
    ...[`/workers/${worker}`, `/workers/${worker}/events`, `/workers/${worker}/jobs`, `/workers/${worker}/tasks`],
    ...[`/rooms/view/jobs/${job}`, `/rooms/view/jobs/${job}/tasks`, `/rooms/view/jobs/${job}/schema`],
    ...[`/tasks/${held}`, `/tasks/${held}/events`, `/tasks/${held}/logs`, `/tasks/${held}/children`],
  ]) {
    assert.equal((await viewer.get(path)).status, 200, path);
  }
  assert.equal((await ada.get(`/tasks/${held}`)).body.status, "running");
  assert.equal((await ada.get(`/tasks/${waiting}`)).body.status, "pending");
});

test("an admin may do with others' tasks and workers what they may, but does not beat or claim for them", async () => {
  const { job, worker } = await jobOf(ada, "super");
  const [first, second] = [await taskOf(ada, "super", job), await taskOf(ada, "super", job)];
  expectProblem(await admin.patch(`/workers/${worker}`), "forbidden");
  expectProblem(await admin.post("/tasks/claim", { worker_id: worker }), "forbidden");
  expectProblem(await bob.patch(`/tasks/${first}`, { status: "cancelled" }), "forbidden");
  expectProblem(await bob.post(`/tasks/${first}/cancel`), "forbidden");
  assert.equal((await admin.patch(`/tasks/${first}`, { status: "cancelled" })).status, 200);
  await ada.post("/tasks/claim", { worker_id: worker });
  expectProblem(await bob.patch(`/tasks/${second}`, { status: "running" }), "forbidden");
  assert.equal((await admin.patch(`/tasks/${second}`, { status: "running" })).status, 200);
  assert.equal((await admin.delete(`/workers/${worker}`)).status, 204);
});

test("a token for some rooms sees these and the reserved ones; of the others there is nothing", async () => {
  const [open, shut, shared] = [await jobOf(ada, "open"), await jobOf(ada, "shut"), await jobOf(admin, "@global", "S")];
  const [seen, hidden] = [await taskOf(ada, "open", open.job), await taskOf(ada, "shut", open.job)];
  const inGlobal = await taskOf(ada, "@global", shared.job);
  const limited = await scene.caller("carl", { rooms: ["open"] });
  assert.deepEqual(await names(limited, "/rooms"), ["@global", "open"]);
  assert.deepEqual(await names(limited, "/jobs"), [shared.job, open.job]);
  assert.deepEqual(await ids(limited, "/tasks"), [inGlobal, seen]);
  assert.deepEqual((await limited.get("/workers")).body.total, 2);
  for (const list of ["jobs", "workers", "tasks"]) assert.deepEqual(await names(limited, `/rooms/shut/${list}`), []);
  assert.deepEqual(await names(limited, `/rooms/shut/jobs/${open.job}/tasks`), []);
  assert.equal((await limited.get(`/rooms/open/jobs/${shared.job}`)).status, 200);
  expectProblem(await limited.get(`/rooms/open/jobs/${shut.job}`), "job-not-found");
  expectProblem(await limited.get(`/rooms/open/jobs/${shut.job}/tasks`), "job-not-found");
  expectProblem(await limited.get(`/workers/${shut.worker}`), "worker-not-found");
  await ada.put("/rooms/shut/jobs", { category: "modifiers", name: "Y", worker_id: open.worker });
  const worker = (await limited.get(`/workers/${open.worker}`)).body;
  assert.deepEqual([Object.keys(worker.specs), worker.job_count], [[open.job], 1], "of its jobs those in sight");
  assert.equal((await ada.get(`/workers/${open.worker}`)).body.job_count, 2);
  for (const rest of ["", "/events", "/logs", "/children", "/stream"]) {
    expectProblem(await limited.get(`/tasks/${hidden}${rest}`), "task-not-found");
  }
  expectProblem(await limited.post(`/tasks/${hidden}/cancel`), "task-not-found");
  expectProblem(await limited.patch(`/tasks/${hidden}`, { status: "cancelled" }), "task-not-found");
});

test("a token for some rooms writes to these alone", async () => {
  const limited = await scene.caller("dora", { rooms: ["den"] });
  const { job } = await jobOf(limited, "den");
  const shared = await jobOf(admin, "@global", "Shared");
  assert.equal((await limited.post(`/rooms/den/tasks/${shared.job}`, {})).status, 202);
  for (const room of ["elsewhere", "@global"]) {
    expectProblem(await limited.put(`/rooms/${room}/jobs`, { category: "modifiers", name: "X" }), "forbidden");
    expectProblem(await limited.post(`/rooms/${room}/tasks/${job}`, {}), "forbidden");
  }
  const foreign = await jobOf(ada, "elsewhere");
  const hidden = await taskOf(ada, "elsewhere", foreign.job);
  expectProblem(await limited.post(`/rooms/den/tasks/${job}`, { parent_id: hidden }), "parent-closed");
  expectProblem(await limited.post(`/rooms/den/tasks/${foreign.job}`, {}), "forbidden");
  const allowed = await scene.caller("dora", { rooms: ["den", "@global"] });
  assert.equal((await allowed.post(`/rooms/@global/tasks/${job}`, {})).status, 202);
  const shown = await taskOf(allowed, "@global", job);
  expectProblem(await limited.patch(`/tasks/${shown}`, { status: "cancelled" }), "forbidden");
  expectProblem(await limited.post(`/tasks/${shown}/cancel`), "forbidden");
  assert.equal((await allowed.post(`/tasks/${shown}/cancel`)).status, 200);
  expectProblem(await limited.delete(`/tasks/${shown}`), "forbidden");
  expectProblem(await limited.post(`/tasks/${shown}/retry`), "forbidden");
  assert.equal((await allowed.delete(`/tasks/${shown}`)).status, 204);
  expectProblem(await allowed.put("/rooms/@global/jobs", { category: "modifiers", name: "X" }), "forbidden");
});

test("a token for some jobs registers, sees and submits these alone", async () => {
  const limited = await scene.caller("emil", { jobs: ["shop:modifiers:A*", "@global:*"] });
  const { job } = await jobOf(limited, "shop", "Apple");
  const { job: other } = await jobOf(ada, "shop", "Pear");
  expectProblem(await limited.put("/rooms/shop/jobs", { category: "modifiers", name: "Pear" }), "forbidden");
  assert.equal((await limited.post(`/rooms/shop/tasks/${job}`, {})).status, 202);
  expectProblem(await limited.post(`/rooms/shop/tasks/${other}`, {}), "forbidden");
  expectProblem(await limited.post("/rooms/shop/tasks", { tasks: [{ job }, { job: other }] }), "forbidden");
  expectProblem(await limited.get(`/rooms/shop/jobs/${other}`), "job-not-found");
  const inShop = (await names(limited, "/rooms/shop/jobs")).filter((name) => name.startsWith("shop:"));
  assert.deepEqual(inShop, [job]);
});

test("a token claims only for workers all of whose jobs it is for", async () => {
  const { worker, job } = await jobOf(ada, "wide");
  const id = await taskOf(ada, "wide", job);
  for (const [words, refusal] of [
    [{ rooms: ["narrow"] }, "task-not-found"],
    [{ jobs: ["narrow:*"] }, "forbidden"],
  ] as const) {
    const narrow = await scene.caller("ada", words);
    expectProblem(await narrow.post("/tasks/claim", { worker_id: worker }), "forbidden");
    expectProblem(await narrow.post(`/tasks/${id}/claim`, { worker_id: worker }), refusal);
  }
  assert.equal((await ada.post("/tasks/claim", { worker_id: worker })).body.task.id, id);
});

test("whoever was given a task may see it and end it, also where its room is not for his token", async () => {
  const limited = await scene.caller("fred", { rooms: ["forge"] });
  const { job, worker } = await jobOf(limited, "forge");
  const id = await taskOf(ada, "abroad", job);
  expectProblem(await limited.get(`/tasks/${id}`), "task-not-found");
  assert.equal((await limited.post("/tasks/claim", { worker_id: worker })).body.task.id, id);
  assert.equal((await limited.get(`/tasks/${id}`)).body.room_id, "abroad");
  assert.equal((await limited.patch(`/tasks/${id}`, { status: "running" })).status, 200);
  assert.equal((await limited.post(`/rooms/forge/tasks/${job}`, { parent_id: id })).status, 202);
  assert.equal((await limited.patch(`/tasks/${id}`, { status: "completed" })).status, 200);
  expectProblem(await limited.patch(`/tasks/${id}`, { status: "failed" }), "invalid-task-transition");
});
