// Rows 2, 6, 8, 9 and 10 of the documents' table, and our lists over all rooms: what is in them, and in which order.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";

const scene = await restScene();
const { admin, stranger } = scene;
const ada = await scene.caller("ada");

const paths = {
  workers: "/workers",
  roomJobs: "/rooms/lab/jobs",
  jobTasks: "/rooms/lab/jobs/lab:modifiers:A/tasks",
  roomWorkers: "/rooms/lab/workers",
  roomTasks: "/rooms/lab/tasks",
  jobs: "/jobs",
  tasks: "/tasks",
  rooms: "/rooms",
};

/** Full names of jobs, in the order of their making. */
const made = ["@global:modifiers:G", "@internal:analysis:I", "lab:modifiers:A", "lab:modifiers:B", "hall:selections:H"];
/** In the order of their making: where they were submitted to, and for which job. */
const submitted: { room: string; job: string; id: string }[] = [];
const workers = new Map<string, string>();

async function names(path: string, caller: Caller = ada): Promise<string[]> {
  const { body } = await caller.get(path);
  return body.items.map((item: Record<string, string>) => item.full_name ?? item.room_id);
}

async function ids(path: string, caller: Caller = ada): Promise<string[]> {
  return (await caller.get(path)).body.items.map(({ id }: { id: string }) => id);
}

function tasksOf(wanted: (task: { room: string; job: string }) => boolean): string[] {
  return submitted
    .filter(wanted)
    .map(({ id }) => id)
    .reverse();
}

before(async () => {
  for (const full of made) {
    const [room, category, name] = full.split(":") as [string, string, string];
    const { body } = await admin.put(`/rooms/${room}/jobs`, { category, name });
    workers.set(full, body.worker_id);
  }
  for (const [room, job] of [
    ["lab", "lab:modifiers:A"],
    ["lab", "@global:modifiers:G"],
    ["hall", "lab:modifiers:A"],
    ["lab", "lab:modifiers:A"],
    ["@global", "@global:modifiers:G"],
    ["hall", "hall:selections:H"],
  ] as const) {
    submitted.push({ room, job, id: (await ada.post(`/rooms/${room}/tasks/${job}`, {})).body.id });
  }
});

test("every list is a page with its total, cut by limit and offset; a limit of nothing only counts", async () => {
  for (const path of Object.values(paths)) {
    const { status, body } = await ada.get(path);
    assert.equal(status, 200, path);
    assert.deepEqual([body.limit, body.offset, body.total_exact], [50, 0, true]);
    assert.equal(body.total, body.items.length);
    assert.ok(body.total >= 2, path);
    const counted = (await ada.get(`${path}?limit=0`)).body;
    assert.deepEqual([counted.items, counted.total, counted.limit], [[], body.total, 0]);
    const second = (await ada.get(`${path}?limit=1&offset=1`)).body;
    assert.deepEqual([second.items, second.total, second.limit, second.offset], [[body.items[1]], body.total, 1, 1]);
    const past = (await ada.get(`${path}?limit=500&offset=9007199254740991`)).body;
    assert.deepEqual([past.items, past.total], [[], body.total]);
  }
});

test("a page that cannot be is refused by its field, before the room is looked at", async () => {
  for (const path of Object.values(paths)) {
    for (const bad of ["-1", "501", "1.5", "ten", "", "1".repeat(40)]) {
      expectBadFields(await ada.get(`${path}?limit=${bad}`), "/query/limit");
    }
    for (const bad of ["-1", "0.5", "x", "1".repeat(40)]) {
      expectBadFields(await ada.get(`${path}?offset=${bad}`), "/query/offset");
    }
    expectBadFields(await ada.get(`${path}?limit=x&offset=-1`), "/query/limit", "/query/offset");
    expectProblem(await stranger.get(path), "unauthorized");
    assert.equal((await ada.get(`${path}?colour=red`)).status, 200, "what is not known is not looked at");
  }
  for (const rest of ["jobs", "workers", "tasks", "jobs/lab:modifiers:A/tasks"]) {
    expectBadFields(await ada.get(`/rooms/@bad/${rest}?limit=x`), "/query/limit");
    expectProblem(await ada.get(`/rooms/@bad/${rest}`), "invalid-room-id");
  }
});

test("a room sees its own jobs and those of the reserved rooms, newest first; a reserved room its own", async () => {
  const [G, I, A, B, H] = made;
  assert.deepEqual(await names("/rooms/lab/jobs"), [B, A, I, G]);
  assert.deepEqual(await names("/rooms/hall/jobs"), [H, I, G]);
  assert.deepEqual(await names("/rooms/nobody/jobs"), [I, G]);
  assert.deepEqual(await names("/rooms/@global/jobs"), [G]);
  assert.deepEqual(await names("/rooms/@internal/jobs"), [I]);
  assert.deepEqual(await names("/jobs"), [H, B, A, I, G]);
  const [item] = (await ada.get("/rooms/hall/jobs")).body.items;
  assert.deepEqual(item, {
    ...{ full_name: H, category: "selections", name: "H", pause: null },
    workers: [workers.get(H as string)],
  });
});

test("jobs are found by a part of their full names, in any case of letters", async () => {
  const [G, , A, B, H] = made;
  const found = async (find: string) => [await names(`/jobs?find=${find}`), (await statistics(find)).toSorted()];
  assert.deepEqual(await found("LAB:"), [
    [B, A],
    [A, B],
  ]);
  assert.deepEqual(await found("%20selections:h%20"), [[H], [H]], "what is around it is not looked for");
  assert.deepEqual(
    (await ada.get("/jobs?find=modifiers&limit=1&offset=2")).body.total,
    (await names("/jobs?find=modifiers")).length,
  );
  assert.ok((await names("/jobs?find=")).includes(G as string));
  assert.deepEqual(await found("nowhere"), [[], []]);
  expectBadFields(await ada.get(`/jobs?find=${"x".repeat(256)}`), "/query/find");

  async function statistics(find: string): Promise<string[]> {
    const { items } = (await ada.get(`/jobs/statistics?find=${find}`)).body;
    return items.map(({ job_name }: { job_name: string }) => job_name);
  }
});

test("a room sees the workers of the jobs it sees, each with the count of all its jobs", async () => {
  const worker_id = workers.get("hall:selections:H");
  await admin.put("/rooms/cellar/jobs", { category: "modifiers", name: "C", worker_id });
  const of = (...jobs: string[]) => jobs.map((job) => workers.get(job) as string);
  const [G, I, A, B, H] = made as [string, string, string, string, string];
  assert.deepEqual(await ids("/rooms/lab/workers"), of(B, A, I, G));
  assert.deepEqual(await ids("/rooms/cellar/workers"), of(H, I, G));
  assert.deepEqual(await ids("/rooms/@global/workers"), of(G));
  assert.deepEqual(await ids("/workers"), of(H, B, A, I, G));
  assert.deepEqual(await ids("/workers?room=lab"), of(B, A, I, G));
  expectProblem(await ada.get("/workers?room=@bad"), "invalid-room-id");
  const [item] = (await ada.get("/rooms/cellar/workers")).body.items;
  assert.deepEqual([item.id, item.job_count, item.state], [worker_id, 2, "ONLINE"]);
  assert.ok("last_heartbeat" in item);
});

test("a room's tasks are those submitted to it, whichever room the job is of", async () => {
  assert.deepEqual(
    await ids("/rooms/lab/tasks"),
    tasksOf(({ room }) => room === "lab"),
  );
  assert.deepEqual(
    await ids("/rooms/hall/tasks"),
    tasksOf(({ room }) => room === "hall"),
  );
  assert.deepEqual(
    await ids("/rooms/@global/tasks"),
    tasksOf(({ room }) => room === "@global"),
  );
  assert.deepEqual(await ids("/rooms/nobody/tasks"), []);
  assert.deepEqual(
    await ids("/tasks"),
    tasksOf(() => true),
  );
});

test("a job's tasks are those of the path's room alone, for jobs of the reserved rooms too", async () => {
  for (const job of ["lab:modifiers:A", "@global:modifiers:G"]) {
    for (const room of ["lab", "hall", "@global", "@internal"]) {
      const expected = tasksOf((task) => task.room === room && task.job === job);
      assert.deepEqual(await ids(`/rooms/${room}/jobs/${job}/tasks`), expected);
    }
  }
  expectProblem(await ada.get("/rooms/lab/jobs/lab:modifiers:Nothing/tasks"), "job-not-found");
});

test("a task is listed with every key, also where there is nothing to say", async () => {
  const { body } = await ada.get("/rooms/hall/tasks?limit=1");
  const [item] = body.items;
  const { id, created_at, ...rest } = item;
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    ...{ job_name: "hall:selections:H", room_id: "hall", status: "pending", payload: {} },
    ...{ started_at: null, completed_at: null, worker_id: null, error: null },
    ...{ queue_position: 1, queue_position_exact: true, waiting: null, queue: "default", priority: 0, run_at: null },
    ...{ labels: {}, retry: null, timeout_seconds: null },
    ...{ attempt: 0, losses: 0, parent_id: null, retry_of: null, progress: null, children: null },
    ...{ result: null, error_code: null, error_details: null, submitter: "ada" },
  });
});

test("a list of tasks may be of one status; what is no status is refused", async () => {
  const worker_id = workers.get("hall:selections:H");
  const { id } = (await admin.post("/tasks/claim", { worker_id })).body.task;
  for (const path of ["/rooms/hall/tasks", "/rooms/hall/jobs/hall:selections:H/tasks", "/tasks"]) {
    assert.deepEqual(await ids(`${path}?status=claimed`), [id]);
    assert.ok(!(await ids(`${path}?status=pending`)).includes(id));
    for (const status of ["running", "completed", "failed", "cancelled"]) {
      assert.deepEqual((await ada.get(`${path}?status=${status}`)).body.total, 0);
    }
    for (const bad of ["", "done", "PENDING"]) {
      expectBadFields(await ada.get(`${path}?status=${bad}`), "/query/status");
    }
    expectProblem(await ada.get(`${path}?status=claimed&status=pending`), "invalid-request");
  }
});

test("the rooms that have jobs are listed by name, with how many", async () => {
  const { body } = await ada.get("/rooms");
  assert.deepEqual(
    body.items.map(({ room_id, job_count }: { room_id: string; job_count: number }) => `${room_id} ${job_count}`),
    ["@global 1", "@internal 1", "cellar 1", "hall 1", "lab 2"],
  );
});

test("the tasks of a job are listed over all rooms; a job that is not, or not for the token, is not found", async () => {
  const job = "lab:modifiers:A";
  assert.deepEqual(
    await ids(`/tasks?job=${job}`),
    tasksOf((task) => task.job === job),
  );
  assert.deepEqual((await ada.get(`/tasks?job=${job}&status=completed`)).body.total, 0);
  expectProblem(await ada.get("/tasks?job=lab:modifiers:Nobody"), "job-not-found");
  const outsider = await scene.caller("eve", { rooms: ["hall"] });
  expectProblem(await outsider.get(`/tasks?job=${job}`), "job-not-found");
});

test("a token says whom it speaks for, and what it is limited to", async () => {
  assert.deepEqual((await admin.get("/me")).body, { user: "admin", role: "admin", rooms: null, jobs: null });
  const narrow = await scene.caller("bob", { role: "viewer", rooms: ["lab"], jobs: ["lab:*"] });
  assert.deepEqual((await narrow.get("/me")).body, { user: "bob", role: "viewer", rooms: ["lab"], jobs: ["lab:*"] });
  expectProblem(await stranger.get("/me"), "unauthorized");
});
