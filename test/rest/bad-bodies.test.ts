import assert from "node:assert/strict";
import { before, test } from "node:test";
import { problems } from "../../src/core/problem.ts";
import { type Reply, restScene } from "./scene.ts";
import { requestBytes, wire } from "./wire.ts";

const scene = await restScene();
const { admin } = scene;
const job = "@global:modifiers:Rotate";
const submitPath = `/rooms/lab/tasks/${job}`;
let worker = "";

before(async () => {
  const registered = await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Rotate", schema: {} });
  worker = registered.body.worker_id;
});

function isProblem(reply: Reply, code: keyof typeof problems, pointer?: string): void {
  assert.equal(reply.status, problems[code].status, reply.text.slice(0, 500));
  assert.equal(reply.headers.get("content-type"), "application/problem+json");
  assert.equal(reply.body.type, `/v1/problems/${code}`);
  if (pointer !== undefined) assert.equal(reply.body.errors[0].pointer, pointer);
}

async function leavesNoTask(send: () => Promise<void>): Promise<void> {
  const before = (await admin.get("/tasks?limit=0")).body.total;
  await send();
  assert.equal((await admin.get("/tasks?limit=0")).body.total, before);
}

const notJson = [
  "",
  "{",
  "{}}",
  "nul",
  "{'a':1}",
  '{"a":1,}',
  "[1",
  '"',
  "NaN",
  '{"payload":NaN}',
  "\u00a0{}",
  "{}\u0001",
];

test("a body that is not JSON is refused, and leaves nothing", () =>
  leavesNoTask(async () => {
    for (const body of notJson) isProblem(await admin.post(submitPath, body), "invalid-request", "");
  }));

test("a body of the wrong type is refused by its field, and leaves nothing", () =>
  leavesNoTask(async () => {
    const cases: [unknown, string][] = [
      [null, ""],
      [[], ""],
      ["text", ""],
      [{ payload: null }, "/payload"],
      [{ payload: [] }, "/payload"],
      [{ priority: "1" }, "/priority"],
      [{ priority: 1.5 }, "/priority"],
      [{ priority: 1e300 }, "/priority"],
      [{ delay_seconds: -1 }, "/delay_seconds"],
      [{ delay_seconds: 1e300 }, "/delay_seconds"],
      [{ delay_seconds: 1, run_at: "2030-01-01T00:00:00Z" }, "/run_at"],
      [{ run_at: "soon" }, "/run_at"],
      [{ run_at: "2030-02-30T25:00:00Z" }, "/run_at"],
      [{ run_at: 7 }, "/run_at"],
      [{ queue: "" }, "/queue"],
      [{ queue: "q".repeat(256) }, "/queue"],
      [{ queue: "é".repeat(200) }, "/queue"],
      [{ parent_id: "none" }, "/parent_id"],
      [{ labels: { a: 1 } }, "/labels/a"],
      [{ labels: { "\n": 1 } }, "/labels/\n"],
      [{ labels: Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`k${nth}`, "v"])) }, "/labels"],
      [{ retry: { maxAttempts: 0 } }, "/retry/maxAttempts"],
      [{ retry: [] }, "/retry"],
      [{ timeout_seconds: -0.5 }, "/timeout_seconds"],
      [{ logs: { level: "loud" } }, "/logs/level"],
    ];
    for (const [body, pointer] of cases)
      isProblem(await admin.post(submitPath, JSON.stringify(body)), "invalid-request", pointer);
  }));

test("numbers, texts and nesting that would harm a reader are refused, and leave nothing", () =>
  leavesNoTask(async () => {
    const deep = (depth: number) => `{"payload":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    for (const body of [
      '{"payload":{"n":1e999}}',
      '{"payload":{"n":-1e999}}',
      `{"payload":{"n":${"9".repeat(400)}}}`,
    ]) {
      isProblem(await admin.post(submitPath, body), "invalid-request", "/payload/n");
    }
    for (const text of ["\\u0000", "\\ud800", "\\udc00\\ud800", "\\ud83d x"]) {
      isProblem(await admin.post(submitPath, `{"payload":{"t":"${text}"}}`), "invalid-request", "/payload/t");
      isProblem(await admin.post(submitPath, `{"payload":{"${text}":1}}`), "invalid-request", "/payload");
    }
    isProblem(await admin.post(submitPath, deep(255)), "invalid-request");
    isProblem(await admin.post(submitPath, "[".repeat(1_000_000)), "invalid-request");
    isProblem(await admin.post(submitPath, '{"a":'.repeat(700_000)), "invalid-request");
  }));

test("nesting up to the limit is taken", async () => {
  const body = `{"payload":{"a":${"[".repeat(254)}${"]".repeat(254)}}}`;
  assert.equal((await admin.post(submitPath, body)).status, 202);
});

test("bytes that are not UTF-8 are refused", async () => {
  for (const bytes of [[0xff], [0x7b, 0xc0, 0x80, 0x7d], [0x22, 0xed, 0xa0, 0x80, 0x22], [0xfe, 0xff, 0x00, 0x7b]]) {
    const { token } = admin;
    isProblem(await scene.send("POST", `/v1${submitPath}`, { token, body: Uint8Array.from(bytes) }), "invalid-request");
  }
});

test("of a key that is there twice the last one counts, in what is checked and in what is stored", async () => {
  const { body } = await admin.post(submitPath, '{"payload":[],"priority":"x","payload":{"b":2,"b":3},"priority":7}');
  assert.equal(body.priority, 7);
  assert.deepEqual(body.payload, { b: 3 });
  const other = await admin.post(submitPath, '{"payload":{"b":2},"payl\\u006fad":{"c":1}}');
  assert.deepEqual(other.body.payload, { c: 1 });
  isProblem(await admin.post(submitPath, '{"payload":{},"payload":[]}'), "invalid-request", "/payload");
});

test("fields that nobody knows are left aside, whatever they are called", async () => {
  const body = '{"payload":{},"__proto__":{"priority":9,"queue":"q"},"constructor":{"prototype":{"x":1}},"more":[1]}';
  const { status, body: task } = await admin.post(submitPath, body);
  assert.equal(status, 202);
  assert.equal(task.priority, 0);
  assert.equal(task.queue, "default");
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
  const kept = await admin.post(submitPath, '{"payload":{"__proto__":{"a":1},"constructor":2}}');
  assert.match(kept.text, /"payload":\{"__proto__":\{"a":1\},"constructor":2\}/);
});

test("a body over the limit is refused before it is read, a payload over its own limit too", () =>
  leavesNoTask(async () => {
    const by = await wire(scene.url);
    const head = `POST /v1${submitPath} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${admin.token}\r\n`;
    const reply = await by.ask(`${head}content-length: 10485760\r\n\r\n`);
    assert.equal(reply?.status, 413);
    assert.equal(reply?.headers["content-type"], "application/problem+json");
    by.hangUp();
    isProblem(
      await admin.post(submitPath, JSON.stringify({ payload: { a: "x".repeat(2 ** 20) } })),
      "payload-too-large",
    );
    const chunked = await wire(scene.url);
    const chunk = `100000\r\n${"x".repeat(2 ** 20)}\r\n`;
    const refused = await chunked.ask(`${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(5)}`);
    assert.equal(refused?.status, 413);
    chunked.hangUp();
  }));

test("a result over the limit is refused, and the task stays with its worker", async () => {
  const { body: task } = await admin.post(submitPath, {});
  const { body: claimed } = await admin.post("/tasks/claim", { worker_id: worker, limit: 100 });
  const { lease_token } = claimed.tasks.find(({ id }: { id: string }) => id === task.id);
  await admin.patch(`/tasks/${task.id}`, { status: "running", lease_token });
  const result = "x".repeat(2 ** 20);
  for (const large of [
    { status: "completed", result },
    { status: "failed", error: "e", error_details: result },
  ]) {
    isProblem(await admin.patch(`/tasks/${task.id}`, { ...large, lease_token }), "payload-too-large");
  }
  isProblem(await admin.post(`/tasks/${task.id}/release`, { checkpoint: result, lease_token }), "payload-too-large");
  assert.equal((await admin.get(`/tasks/${task.id}`)).body.status, "running");
  assert.equal((await admin.patch(`/tasks/${task.id}`, { status: "completed", result: 1, lease_token })).status, 200);
});

test("one bad task in a bulk refuses all of them, by its place", () =>
  leavesNoTask(async () => {
    const good = { job, payload: {} };
    isProblem(
      await admin.post("/rooms/lab/tasks", { tasks: [good, { job, payload: 7 }] }),
      "invalid-request",
      "/tasks/1/payload",
    );
    isProblem(await admin.post("/rooms/lab/tasks", { tasks: [good, { job: "no:such:job" }] }), "job-not-found");
    isProblem(await admin.post("/rooms/lab/tasks", { tasks: [] }), "invalid-request", "/tasks");
    isProblem(
      await admin.post("/rooms/lab/tasks", { tasks: Array.from({ length: 1_001 }, () => good) }),
      "invalid-request",
      "/tasks",
    );
    isProblem(
      await admin.post("/rooms/lab/tasks", {
        tasks: [good, { ...good, delay_seconds: 1, run_at: "2030-01-01T00:00:00Z" }],
      }),
      "invalid-request",
      "/tasks/1/run_at",
    );
  }));

test("what a type calls itself does not matter, and a strange one harms nobody", async () => {
  for (const type of [
    "text/plain",
    "application/json; charset=latin1",
    ";;;",
    "a".repeat(500),
    "multipart/form-data; boundary=x",
  ]) {
    const by = await wire(scene.url);
    const request = {
      method: "POST",
      target: `/v1${submitPath}`,
      token: admin.token,
      headers: { "content-type": type },
    };
    const reply = await by.ask(requestBytes({ ...request, body: "{}" }));
    assert.equal(reply?.status, 202, type);
    by.hangUp();
  }
});
