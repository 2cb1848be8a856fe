import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type ProblemCode, problems } from "../../src/core/problem.ts";
import { type Reply, restScene } from "./scene.ts";
import { requestBytes, type WireReply, wire } from "./wire.ts";

const scene = await restScene();
const { admin } = scene;
const ada = await scene.caller("ada");
const bob = await scene.caller("bob");
const vera = await scene.caller("vera", { role: "viewer" });
const nobody = "00000000-0000-7000-8000-000000000000";
let worker = "";

before(async () => {
  worker = (await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Rotate", schema: {} })).body.worker_id;
});

function isProblem(reply: Reply, code: ProblemCode): void {
  assert.equal(reply.status, problems[code].status, reply.text.slice(0, 500));
  assert.equal(reply.body.type, `/v1/problems/${code}`);
}

/** As it stands, without a client that tidies it up. */
async function raw(target: string, method = "GET", body?: string): Promise<WireReply> {
  const by = await wire(scene.url);
  const reply = await by.ask(requestBytes({ method, target, token: admin.token, ...(body !== undefined && { body }) }));
  by.hangUp();
  assert(reply !== null, `${target} was answered`);
  return reply;
}

async function leavesNoJob(send: () => Promise<void>): Promise<void> {
  const count = async () => (await admin.get("/jobs?limit=0")).body.total;
  const before = await count();
  await send();
  assert.equal(await count(), before);
}

test("a room's name with '@' or ':' is refused everywhere, with 400", () =>
  leavesNoJob(async () => {
    for (const room of ["@", ":", "a@b", "a:b", "@Global", "@global ", "%40", "%3A", "@internal:x"]) {
      const path = `/rooms/${room.startsWith("%") ? room : encodeURIComponent(room)}`;
      isProblem(await admin.get(`${path}/jobs`), "invalid-room-id");
      isProblem(await admin.get(`${path}/tasks`), "invalid-room-id");
      isProblem(await admin.put(`${path}/jobs`, { category: "modifiers", name: "x" }), "invalid-room-id");
      isProblem(await admin.post(`${path}/tasks/lab:modifiers:Rotate`, {}), "invalid-room-id");
    }
  }));

test("names that look like paths, text of programs or nothing at all are but names", async () => {
  for (const name of [
    "../../etc/passwd",
    "..",
    "a/b",
    "😀",
    "'; drop table task; --",
    "__proto__",
    "%00",
    "",
    " ",
    "é".repeat(100),
  ]) {
    const registered = await admin.put("/rooms/attic/jobs", { category: "modifiers", name });
    assert.equal(registered.status, 201, name);
    assert.equal(registered.body.full_name, `attic:modifiers:${name}`);
    const path = `/rooms/attic/tasks/${encodeURIComponent(registered.body.full_name)}`;
    assert.equal((await admin.post(path, {})).body.job_name, `attic:modifiers:${name}`);
  }
  for (const room of ["__proto__", "constructor", "😀", "..%2f..", "%2e%2e"]) {
    assert.equal((await raw(`/v1/rooms/${encodeURI(room)}/jobs`)).status, 200, room);
  }
});

test("names that are too long or hold a NUL are refused, and leave nothing", () =>
  leavesNoJob(async () => {
    for (const name of ["x".repeat(256), "é".repeat(128), "x".repeat(4_096), "😀".repeat(1_000)]) {
      isProblem(await admin.put("/rooms/lab/jobs", { category: "modifiers", name }), "invalid-request");
      isProblem(
        await admin.put(`/rooms/${encodeURIComponent(name)}/jobs`, { category: "modifiers", name: "x" }),
        "invalid-request",
      );
      isProblem(await admin.get(`/rooms/${encodeURIComponent(name)}/jobs`), "invalid-request");
    }
    isProblem(await admin.put("/rooms/lab/jobs", { category: "modifiers", name: "a\u0000b" }), "invalid-request");
    isProblem(await admin.put("/rooms/a%00b/jobs", { category: "modifiers", name: "x" }), "invalid-request");
    isProblem(await admin.get("/rooms/a%00b/tasks"), "invalid-request");
    for (const category of ["", "Modifiers", "../", "x".repeat(100), "😀"]) {
      isProblem(await admin.put("/rooms/lab/jobs", { category, name: "x" }), "invalid-category");
    }
  }));

test("a job that is not there is not found, whatever it is called", async () => {
  const names = [
    "x",
    "a:b",
    "a:b:c",
    "lab:modifiers:",
    "lab:modifiers:Rotate%00",
    "%F0%9F%98%80",
    "__proto__",
    "a".repeat(3_000),
  ];
  for (const name of names) {
    isProblem(await admin.get(`/rooms/lab/jobs/${name}`), "job-not-found");
    isProblem(await admin.post(`/rooms/lab/tasks/${name}`, {}), "job-not-found");
  }
});

test("percent signs that stand for nothing are refused", async () => {
  for (const target of [
    "/v1/rooms/%/jobs",
    "/v1/rooms/%zz/jobs",
    "/v1/rooms/%c0%af/jobs",
    "/v1/rooms/lab/jobs/%ff",
    "/v1/tasks/%e0%80",
  ]) {
    const reply = await raw(target);
    assert.equal(reply.status, 422, `${target} ${reply.text}`);
    assert.equal(reply.headers["content-type"], "application/problem+json");
  }
});

test("paths that nobody serves are not found, and lead nowhere else", async () => {
  for (const target of [
    "/v1",
    "/v1/nothing",
    "/..",
    "/v1/../v1/tasks",
    "/v1//tasks",
    "//evil.example/",
    "/v1/tasks/claim/x",
    "*",
  ]) {
    const reply = await raw(target);
    assert.ok([404, 405, 422].includes(reply.status), `${target} ${reply.status}`);
  }
  const slashes = await raw("/v1//evil.example/");
  assert.doesNotMatch(slashes.headers["location"] ?? "/", /^\/\//);
});

test("pages are asked for with whole numbers in their range", async () => {
  const wrong = ["-1", "1.5", "x", "", "1e3", "501", "NaN", "9".repeat(40), "null", "%00", "1&limit=2"];
  for (const limit of wrong) isProblem(await admin.get(`/tasks?limit=${limit}`), "invalid-request");
  for (const offset of ["-1", "1.5", "x", "9".repeat(40), "1e999"]) {
    isProblem(await admin.get(`/tasks?offset=${offset}`), "invalid-request");
    isProblem(await admin.get(`/rooms/lab/jobs?offset=${offset}`), "invalid-request");
  }
  for (const path of ["/tasks", "/jobs", "/workers", "/rooms", "/rooms/lab/tasks"]) {
    assert.deepEqual((await admin.get(`${path}?offset=${Number.MAX_SAFE_INTEGER}`)).body.items, [], path);
  }
  for (const status of ["", "done", "pending,claimed", "PENDING", "__proto__"]) {
    isProblem(await admin.get(`/tasks?status=${status}`), "invalid-request");
  }
});

test("a wait that is no number of seconds is no wait", async () => {
  for (const prefer of [
    "wait=-5",
    "wait=x",
    "wait",
    "WAIT=9",
    "wait=",
    "respond-async",
    "wait=0",
    `wait=-${"9".repeat(400)}`,
  ]) {
    const reply = await ada.post("/tasks/claim", { worker_id: worker }, { prefer });
    assert.deepEqual(reply.body, { task: null });
    assert.equal(reply.headers.get("preference-applied"), null);
  }
});

test("ids that are none are refused, ids of nobody are not found", async () => {
  for (const id of ["x", "1", "%00", `${nobody}0`, `{${nobody}}`, "00000000000070008000000000000000", "../workers"]) {
    const path = encodeURIComponent(decodeURIComponent(id));
    isProblem(await ada.get(`/tasks/${path}`), "invalid-request");
    isProblem(await ada.get(`/workers/${path}`), "invalid-request");
    isProblem(await ada.post("/tasks/claim", { worker_id: id }), "invalid-request");
  }
  for (const path of ["", "/events", "/logs", "/children", "/stream"]) {
    isProblem(await ada.get(`/tasks/${nobody}${path}`), "task-not-found");
  }
  for (const path of ["cancel", "retry"]) isProblem(await ada.post(`/tasks/${nobody}/${path}`), "task-not-found");
  isProblem(await ada.patch(`/tasks/${nobody}`, { status: "running" }), "task-not-found");
  isProblem(await ada.delete(`/tasks/${nobody}`), "task-not-found");
  isProblem(await ada.post("/tasks/claim", { worker_id: nobody }), "worker-not-found");
  isProblem(await ada.patch(`/workers/${nobody}`), "worker-not-found");
  isProblem(await ada.delete(`/workers/${nobody}`), "worker-not-found");
});

test("another's worker and another's task are left alone, and so is a task that a viewer sees", async () => {
  const { body: task } = await ada.post("/rooms/lab/tasks/lab:modifiers:Rotate", {});
  isProblem(await bob.post("/tasks/claim", { worker_id: worker }), "forbidden");
  isProblem(await bob.patch(`/workers/${worker}`), "forbidden");
  isProblem(await bob.delete(`/workers/${worker}`), "forbidden");
  isProblem(await admin.post("/tasks/claim", { worker_id: worker }), "forbidden");
  isProblem(
    await bob.put("/rooms/lab/jobs", { category: "modifiers", name: "Mine", worker_id: worker }),
    "worker-not-found",
  );
  isProblem(await bob.post(`/tasks/${task.id}/claim`, { worker_id: worker }), "forbidden");
  for (const status of ["running", "completed", "failed", "cancelled"]) {
    isProblem(await bob.patch(`/tasks/${task.id}`, { status }), "forbidden");
  }
  const { body: claimed } = await ada.post("/tasks/claim", { worker_id: worker });
  for (const [path, body] of Object.entries({
    progress: { current: 1 },
    release: {},
    defer: { total: 1 },
    extend: {},
    logs: { lines: [{ message: "x" }] },
  })) {
    isProblem(await bob.post(`/tasks/${task.id}/${path}`, body), "forbidden");
    isProblem(await bob.post(`/tasks/${task.id}/${path}`, { ...body, lease_token: "x".repeat(43) }), "forbidden");
  }
  isProblem(await bob.post(`/tasks/${task.id}/cancel`), "forbidden");
  isProblem(await vera.post(`/tasks/${task.id}/cancel`), "forbidden");
  isProblem(await vera.post("/workers"), "forbidden");
  isProblem(await ada.patch(`/tasks/${task.id}`, { status: "running", lease_token: "x" }), "lease-lost");
  isProblem(await ada.patch(`/tasks/${task.id}`, { status: "running", attempt: 2 }), "lease-lost");
  for (const status of ["pending", "claimed", "completed"]) {
    isProblem(await ada.patch(`/tasks/${task.id}`, { status }), "invalid-task-transition");
  }
  const { body: after } = await ada.get(`/tasks/${task.id}`);
  assert.equal(after.status, "claimed");
  assert.equal(claimed.task.id, task.id);
});
