import assert from "node:assert/strict";
import { test } from "node:test";
import { Category, Extension, JobManager, ServerUnreachable } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { type Fault, managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const { admin } = scene;

/** A class of its own for each test, so that none gets another's tasks. */
function jobNamed(name: string) {
  const extension = class extends Extension {
    static readonly category = Category.MODIFIER;
    run() {}
  };
  Object.defineProperty(extension, "name", { value: name });
  return extension;
}

async function submit(job: string): Promise<string> {
  const { body } = await admin.post(`/rooms/lab/tasks/@global:modifiers:${job}`, {});
  return body.id;
}

/** Meddles with the first request that looks like this, and with no other. */
function once(pattern: RegExp, fault: Fault) {
  let isDone = false;
  return (request: string) => {
    if (isDone || !pattern.test(request)) return undefined;
    isDone = true;
    return fault;
  };
}

function problem(status: number, code: string): Response {
  const body = { type: `/v1/problems/${code}`, title: code, status, detail: `It is ${code}` };
  return Response.json(body, { status, headers: { "content-type": "application/problem+json" } });
}

async function eventsOf(id: string): Promise<string[]> {
  const { body } = await admin.get(`/tasks/${id}/events`);
  return body.items.map(({ type }: { type: string }) => type);
}

const oneLife = ["task.submitted", "task.claimed", "task.started", "task.completed"];

test("a claim whose answer was lost gives the same task again, on the same attempt", async () => {
  const { manager, wire } = scene.manager({ execute: () => "done" });
  await manager.register(jobNamed("LostClaim"));
  wire.meddle = (request) => (request.endsWith("/claim") ? "answer-is-lost" : undefined);
  const id = await submit("LostClaim");
  await scene.taskWith("claimed", id);
  wire.meddle = () => undefined;
  await scene.taskWith("completed", id);
  assert.deepEqual(await eventsOf(id), oneLife);
});

test("a start and an outcome whose answers were lost are told again, and count once", async () => {
  const { manager, wire } = scene.manager({ execute: () => "done" });
  await manager.register(jobNamed("LostWords"));
  let words = 0;
  wire.meddle = (request) => {
    if (!request.startsWith("PATCH /tasks/")) return undefined;
    words += 1;
    // The first is the start, the second says it again; the third is the outcome.
    return words === 1 || words === 3 ? "answer-is-lost" : undefined;
  };
  const id = await submit("LostWords");
  await scene.taskWith("completed", id);
  await until("the outcome was told again", () => words === 4);
  assert.deepEqual(
    (await eventsOf(id)).filter((each) => !each.endsWith("refused")),
    oneLife,
  );
  await scene.taskWith("completed", await submit("LostWords"));
});

test("a task that cannot be started goes back, and is served at the next try", async () => {
  const { manager, wire, said } = scene.manager({ execute: () => "done" });
  await manager.register(jobNamed("NoStart"));
  wire.meddle = once(/^PATCH \/tasks/, problem(418, "teapot"));
  const id = await submit("NoStart");
  const done = await scene.taskWith("completed", id);
  assert.equal(done.attempt, 2);
  assert.deepEqual((await eventsOf(id)).slice(0, 4), [
    "task.submitted",
    "task.claimed",
    "task.released",
    "task.claimed",
  ]);
  assert.ok(said.some((line) => /is given back/.test(line)));
});

test("by hand too, a task that cannot be started goes back", async () => {
  const { manager, wire } = scene.manager();
  await manager.register(jobNamed("NoStartByHand"));
  const id = await submit("NoStartByHand");
  const task = await manager.claim();
  assert.ok(task);
  wire.meddle = once(/^PATCH \/tasks/, problem(418, "teapot"));
  await assert.rejects(manager.start(task), { status: 418 });
  assert.equal((await admin.get(`/tasks/${id}`)).body.status, "pending");
});

test("a task that was cancelled before its start is left alone", async () => {
  const { manager, wire, said } = scene.manager({ execute: () => "done" });
  await manager.register(jobNamed("Cancelled"));
  wire.meddle = once(/^PATCH \/tasks/, problem(409, "invalid-task-transition"));
  await submit("Cancelled");
  await until("it was dropped", () => said.some((line) => /was not to be started/.test(line)));
  await scene.taskWith("completed", await submit("Cancelled"));
});

test("a result that the server refuses fails the task, in the server's words", async () => {
  const { manager, wire } = scene.manager({ execute: () => "done" });
  await manager.register(jobNamed("Refused"));
  let patches = 0;
  wire.meddle = (request) =>
    request.startsWith("PATCH /tasks") && ++patches === 2 ? problem(422, "invalid-request") : undefined;
  const failed = await scene.taskWith("failed", await submit("Refused"));
  assert.match(failed.error, /The server refused the result: It is invalid-request/);
});

test("a manager that was given up registers everything again, and its handler hears that its task is lost", async () => {
  let reason: unknown;
  const { manager, said } = scene.manager({
    async execute({ signal, jobName }) {
      if (!jobName.endsWith("GivenUp") || reason !== undefined) return "done";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      reason = signal.reason;
      return "late";
    },
  });
  await manager.register(jobNamed("GivenUp"));
  await manager.register(jobNamed("GivenUpToo"), { room: "lab" });
  const first = manager.workerId;
  const id = await submit("GivenUp");
  await scene.taskWith("running", id);
  await admin.delete(`/workers/${first}`);
  await until("the handler heard", () => reason !== undefined);
  assert.match(String(reason), /was given up by the server/);
  assert.ok(said.some((line) => /registering again/.test(line)));
  await scene.taskWith("completed", await submit("GivenUp"));
  const { body } = await admin.post("/rooms/lab/tasks/lab:modifiers:GivenUpToo", {});
  await scene.taskWith("completed", body.id);
  assert.notEqual(manager.workerId, first);
  assert.equal((await admin.get(`/tasks/${id}`)).body.error, "Worker disconnected");
});

test("a manager that was given up finds out when it registers another job", async () => {
  const { manager } = scene.manager({ heartbeatInterval: 600 });
  await manager.register(jobNamed("Before"));
  await admin.delete(`/workers/${manager.workerId}`);
  await manager.register(jobNamed("After"));
  const { body } = await admin.get(`/workers/${manager.workerId}/jobs`);
  const names = body.items.map(({ name }: { name: string }) => name);
  assert.deepEqual(names.sort(), ["After", "Before"]);
});

for (const request of ["PATCH /workers", "POST /tasks/claim", "PATCH /tasks"]) {
  test(`a manager whose token is refused at ${request} stops, and says so to whoever waits`, async () => {
    const { manager, wire, said } = scene.manager({ execute: () => "done" });
    const name = `Refused${request.replaceAll(/\W/g, "")}`;
    await manager.register(jobNamed(name));
    wire.meddle = (each) => (each.startsWith(request) ? problem(401, "unauthorized") : undefined);
    await submit(name);
    await assert.rejects(manager.wait(), { name: "ServerProblem", status: 401 });
    assert.ok(said.some((line) => /The manager stops/.test(line)));
    await assert.rejects(manager.claim(), { status: 401 });
    await assert.rejects(manager.register(jobNamed(name)), { status: 401 });
  });
}

test("a server that is out of reach for a while is waited for", async () => {
  const { manager, wire } = scene.manager({ execute: () => "done" });
  await manager.register(jobNamed("Away"));
  wire.meddle = () => "never-arrives";
  const id = await submit("Away");
  const asked = wire.requests.length;
  await until("it kept trying", () => wire.requests.length > asked + 4);
  wire.meddle = () => undefined;
  await scene.taskWith("completed", id);
});

test("a server that is out of reach for too long ends the manager, and whoever waits is told", async () => {
  const { manager, wire } = scene.manager({ execute: () => "done", unreachableLimit: 0.3 });
  await manager.register(jobNamed("Gone"));
  wire.meddle = () => "never-arrives";
  await assert.rejects(manager.wait(), (error) => {
    return error instanceof ServerUnreachable && /no good answer for 0.3 s/.test(error.message);
  });
  const heard = manager.listen();
  await assert.rejects(heard.next(), ServerUnreachable);
});

test("a manager that disconnects while it registers leaves no worker behind", async () => {
  const { manager, wire } = scene.manager();
  const registering = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  wire.meddle = async (request) => {
    if (request.startsWith("PUT")) {
      registering.resolve();
      await gate.promise;
    }
    return undefined;
  };
  const registered = manager.register(jobNamed("Late"));
  await registering.promise;
  const end = manager.disconnect();
  gate.resolve();
  await Promise.all([registered, end]);
  assert.ok(wire.requests.at(-1)?.startsWith("DELETE /workers/"));
});

test("times that are no times are refused", () => {
  for (const seconds of [0, -1, Number.NaN]) {
    assert.throws(() => scene.manager({ pollingInterval: seconds }), /pollingInterval is in seconds/);
  }
});

test("at the start an unreachable server is asked five times, and a refusal is told at once", async () => {
  const { manager, wire } = scene.manager({ startDelays: [0.001, 0.001, 0.001, 0.001] });
  wire.meddle = () => "never-arrives";
  await assert.rejects(manager.register(jobNamed("Start")), ServerUnreachable);
  assert.equal(wire.requests.length, 5);
  assert.equal(manager.jobs.size, 0);
  for (const status of [400, 401, 403, 409, 422]) {
    wire.requests.length = 0;
    wire.meddle = () => problem(status, "no");
    await assert.rejects(manager.register(jobNamed("Start")), { status });
    assert.equal(wire.requests.length, 1, String(status));
  }
  wire.meddle = once(/./, problem(503, "stopping"));
  assert.equal(await manager.register(jobNamed("Start")), "@global:modifiers:Start");
});

test("what the host raises is what the caller gets, and the manager still knows what was meant", async () => {
  class HostError extends Error {}
  const wire = { requests: [], meddle: (_: string): Fault | undefined => undefined };
  const api = {
    ...scene.api(wire),
    raiseForStatus(response: Response) {
      throw new HostError(`status ${response.status}`);
    },
  };
  const quiet = { info() {}, warn() {}, error() {} };
  const manager = new JobManager(api, null, { execute: () => 1, log: quiet, heartbeatInterval: 0.02 });
  await manager.register(jobNamed("Host"));
  await assert.rejects(manager.submit(new (jobNamed("Nowhere"))(), "lab"), new HostError("status 404"));
  wire.meddle = (request) => (request.startsWith("PATCH /workers") ? problem(403, "forbidden") : undefined);
  await assert.rejects(manager.wait(), new HostError("status 403"));
});
