import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { serverEvents } from "../../src/protocol/socketio/events.ts";
import { restScene } from "../rest/scene.ts";
import { type Connected, connect, type Data, register, submit } from "./scene.ts";

const { url, admin, caller } = await restScene();
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (to: Ajv2020) => void)(ajv);

async function viewer(room: string): Promise<Connected> {
  const watching = await connect(url, admin);
  assert.deepEqual(await watching.ask("room_join", { room_id: room }), { ok: true });
  return watching;
}

function statuses(watching: Connected, id: string): string[] {
  return watching
    .of("task_status_event")
    .filter((data) => data.id === id)
    .map(({ status }) => status);
}

const ended = (id: string) => (data: Data) => data.id === id && data.completed_at !== null;

for (const transport of ["websocket", "polling"] as const) {
  test(`a client that knows only the names of events runs a task from end to end, over ${transport}`, async () => {
    const ann = await caller(`ann-${transport}`);
    const { job, worker } = await register(ann, "lab", `Rotate-${transport}`);
    const working = await connect(url, ann, { transports: [transport] });
    const watching = await viewer("lab");
    working.socket.emit("join_job_room", { job_name: job, worker_id: worker });
    // Events of one connection are taken in order, so the answer to the second tells that the first was.
    await working.ask("join_job_room", { job_name: job, worker_id: worker });
    const id = await submit(ann, "lab", job);
    const told = await working.hears("task_available");
    assert.deepEqual(told, { job_name: job, room_id: "lab", task_id: id });
    const { body } = await ann.post("/tasks/claim", { worker_id: worker });
    assert.equal(body.task.id, told.task_id);
    await ann.patch(`/tasks/${id}`, { status: "running" });
    await ann.patch(`/tasks/${id}`, { status: "completed" });
    const last = await watching.hears("task_status_event", ended(id));
    assert.deepEqual(statuses(watching, id), ["pending", "claimed", "running", "completed"]);
    assert.equal(last.worker_id, worker);
    assert.equal(working.socket.io.engine.transport.name, transport);
  });
}

for (const transport of ["websocket", "polling"] as const) {
  test(`a client that knows only the names of events answers the reads of a provider, over ${transport}`, async () => {
    const ann = await caller(`reader-${transport}`);
    const words = {
      category: "files",
      name: `disk-${transport}`,
      content_type: "application/octet-stream",
      schema: {},
    };
    const { body: provider } = await ann.put("/rooms/lab/providers", words);
    const working = await connect(url, ann, { transports: [transport] });
    const watching = await viewer("lab");
    const headers = { authorization: `Bearer ${ann.token}` };
    working.socket.on("provider_request", async ({ request_id, provider_name, params }) => {
      assert.equal(provider_name, provider.full_name);
      const body = Uint8Array.of(0, 255, ...Buffer.from(JSON.parse(params).path));
      const asked = { method: "POST", headers: { ...headers, "x-request-hash": request_id }, body };
      assert.equal((await fetch(`${url}/v1/providers/${provider.id}/results`, asked)).status, 204);
    });
    const joined = { provider_name: provider.full_name, worker_id: provider.worker_id };
    assert.deepEqual(await working.ask("join_provider_room", joined), { ok: true });
    const read = await fetch(`${url}/v1/rooms/lab/providers/${provider.full_name}?path=a%20b`, { headers });
    assert.deepEqual([...new Uint8Array(await read.arrayBuffer())], [0, 255, 97, 32, 98]);
    const ready = await watching.hears("provider_result_ready", (data) => data.provider_name === provider.full_name);
    assert.equal(ready.request_hash, working.of("provider_request")[0].request_id);
  });
}

test("a status event has the documents' fields, fits its description, and tells the place in the line", async () => {
  const { job } = await register(admin, "fields", "Wait");
  const watching = await viewer("fields");
  const first = await submit(admin, "fields", job, { secret: 1 });
  const second = await submit(admin, "fields", job);
  await watching.hears("task_status_event", ({ id }) => id === second);
  const [one, two] = watching.of("task_status_event");
  assert.deepEqual([one.id, one.queue_position, two.id, two.queue_position], [first, 1, second, 2]);
  const fields = "id name room_id status created_at started_at completed_at queue_position worker_id error version";
  assert.deepEqual(Object.keys(one), fields.split(" "));
  const { body } = await admin.get(`/tasks/${first}`);
  assert.deepEqual([one.name, one.created_at, one.status], [body.job_name, body.created_at, "pending"]);
  assert.ok(ajv.validate(JSON.parse(JSON.stringify(serverEvents.task_status_event)), one), ajv.errorsText());
});

test("a task that fails, is cancelled, or is lost with its worker is told to the viewers of its room", async () => {
  const { job, worker } = await register(admin, "ends", "End");
  const watching = await viewer("ends");
  const [failed, lost, cancelled] = [
    await submit(admin, "ends", job),
    await submit(admin, "ends", job),
    await submit(admin, "ends", job),
  ];
  const { body } = await admin.post("/tasks/claim", { worker_id: worker });
  await admin.patch(`/tasks/${failed}`, { status: "running", lease_token: body.task.lease_token });
  const error = "é😀".repeat(20_000);
  await admin.patch(`/tasks/${failed}`, { status: "failed", error, lease_token: body.task.lease_token });
  await admin.post("/tasks/claim", { worker_id: worker });
  await admin.patch(`/tasks/${cancelled}`, { status: "cancelled" });
  await admin.delete(`/workers/${worker}`);
  const cut = await watching.hears("task_status_event", ended(failed));
  assert.equal(cut.status, "failed");
  assert.ok(cut.error.length <= 1_000 && cut.error.endsWith("…") && error.startsWith(cut.error.slice(0, -1)));
  assert.ok(cut.error.isWellFormed());
  assert.equal((await watching.hears("task_status_event", ended(cancelled))).status, "cancelled");
  const told = await watching.hears("task_status_event", ended(lost));
  assert.deepEqual([told.status, told.error, told.worker_id], ["failed", "Worker disconnected", worker]);
});

test("a job's viewers are told of its registration, of the loss of a worker, and of its end", async () => {
  const watching = await viewer("changes");
  const count = () => watching.of("jobs_invalidate").length;
  const { worker } = await register(admin, "changes", "A");
  await register(admin, "changes", "B", worker);
  await register(admin, "changes", "B", worker);
  await watching.ask("room_join", { room_id: "changes" });
  assert.equal(count(), 3, "also where nothing was new");
  assert.deepEqual(watching.of("jobs_invalidate")[0], {});
  await admin.delete(`/workers/${worker}`);
  await watching.ask("room_join", { room_id: "changes" });
  assert.equal(count(), 4, "one for the room, whatever the number of jobs");
});

test("a room's viewers are told of new specs of it, and of alerts of the workers that serve it", async () => {
  const watching = await viewer("alerts");
  await admin.put("/specs/alerts:modifiers:Spec", { schema: {} });
  await watching.hears("jobs_invalidate");
  const { worker } = await register(admin, "alerts", "Watched");
  const [here, elsewhere] = [watching, await viewer("elsewhere")];
  const said = { severity: "error", code: "disk", message: "full" };
  await admin.post(`/workers/${worker}/alerts`, said);
  const { at, ...told } = await here.hears("worker_alert");
  assert.deepEqual(told, { worker_id: worker, ...said, task_id: null });
  assert.equal(at, (await admin.get("/alerts")).body.items[0].at);
  await elsewhere.ask("room_join", { room_id: "elsewhere" });
  assert.equal(elsewhere.of("worker_alert").length, 0);
});

test("a room's viewers are told what happens to the workers that serve it, and the metrics count it", async () => {
  const [here, elsewhere] = [await viewer("fleet"), await viewer("elsewhere")];
  const counted = async (type: string) => {
    const scrape = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${admin.token}` } });
    const [, count] =
      new RegExp(`^leadhand_worker_events_total\\{type="${type}"\\} (\\d+)$`, "m").exec(await scrape.text()) ?? [];
    return Number(count);
  };
  const before = await counted("worker.deleted");
  const { worker } = await register(admin, "fleet", "Watched");
  const { at, ...told } = await here.hears("worker_event");
  assert.deepEqual(told, { worker_id: worker, type: "worker.registered", data: { by: "admin" } });
  await admin.delete(`/workers/${worker}`);
  await here.ask("room_join", { room_id: "fleet" });
  const { items } = (await admin.get(`/workers/${worker}/events`)).body;
  assert.deepEqual(
    here.of("worker_event").map(({ type }) => type),
    items.map(({ type }: { type: string }) => type),
  );
  assert.equal(items[0].at, at);
  await elsewhere.ask("room_join", { room_id: "elsewhere" });
  assert.equal(elsewhere.of("worker_event").length, 0);
  assert.equal(await counted("worker.deleted"), before + 1);
});

test("a job that goes with its last task is told of once", async () => {
  const { job, worker } = await register(admin, "orphans", "Last");
  const id = await submit(admin, "orphans", job);
  await admin.delete(`/workers/${worker}`);
  const watching = await viewer("orphans");
  await admin.patch(`/tasks/${id}`, { status: "cancelled" });
  await watching.hears("jobs_invalidate");
  await watching.ask("room_join", { room_id: "orphans" });
  assert.equal(watching.of("jobs_invalidate").length, 1);
  assert.equal((await admin.get(`/rooms/orphans/jobs/${job}`)).status, 404);
});

test("what is refused is told to nobody, and what is told can be read at once", async () => {
  const { job } = await register(admin, "commit", "Careful");
  const watching = await viewer("commit");
  const read: Promise<number>[] = [];
  watching.socket.on("task_status_event", ({ id }) =>
    read.push(admin.get(`/tasks/${id}`).then(({ status }) => status)),
  );
  assert.equal((await admin.post(`/rooms/commit/tasks/${job}`, { payload: [] })).status, 422);
  const id = await submit(admin, "commit", job);
  await admin.patch(`/tasks/${id}`, { status: "completed" });
  await admin.patch(`/tasks/${id}`, { status: "cancelled" });
  await watching.hears("task_status_event", ended(id));
  assert.deepEqual(statuses(watching, id), ["pending", "cancelled"], "the refused completion is no event");
  assert.deepEqual(await Promise.all(read), [200, 200]);
});

test("a task that becomes ready again, or whose time has come, wakes the workers once more", async () => {
  const { job, worker } = await register(admin, "again", "Retry");
  const working = await connect(url, admin);
  await working.ask("join_job_room", { job_name: job, worker_id: worker });
  const { body: later } = await admin.post(`/rooms/again/tasks/${job}`, { payload: {}, delay_seconds: 1 });
  assert.deepEqual(working.of("task_available"), []);
  const { body } = await admin.post(`/rooms/again/tasks/${job}`, { payload: {}, retry: { max_attempts: 2 } });
  await working.hears("task_available", ({ task_id }) => task_id === body.id);
  const told = working.heard.length;
  const { body: claimed } = await admin.post("/tasks/claim", { worker_id: worker });
  assert.equal(claimed.task.id, body.id);
  const proof = { lease_token: claimed.task.lease_token };
  await admin.post(`/tasks/${body.id}/release`, proof);
  await working.hears("task_available", () => working.heard.length > told);
  assert.equal(working.heard.at(-1)?.data.task_id, body.id);
  await working.hears("task_available", ({ task_id }) => task_id === later.id);
});

test("a cancelled task is told at once to the worker that holds it", async () => {
  const { job, worker } = await register(admin, "cancels", "Long");
  const working = await connect(url, admin);
  await working.ask("join_job_room", { job_name: job, worker_id: worker });
  const id = await submit(admin, "cancels", job);
  await admin.post("/tasks/claim", { worker_id: worker });
  await admin.patch(`/tasks/${id}`, { status: "cancelled" });
  assert.deepEqual(await working.hears("task_cancel"), { task_id: id, worker_id: worker });
});

test("who has left a room hears no more of it", async () => {
  const { job, worker } = await register(admin, "left", "Quiet");
  const [working, watching, control] = [await connect(url, admin), await viewer("left"), await viewer("left")];
  await working.ask("join_job_room", { job_name: job, worker_id: worker });
  await working.ask("leave_job_room", { job_name: job, worker_id: worker });
  await watching.ask("room_leave", { room_id: "left" });
  await submit(admin, "left", job);
  await control.hears("task_status_event");
  await Promise.all([working.ask("room_leave", { room_id: "x" }), watching.ask("room_leave", { room_id: "x" })]);
  assert.deepEqual([working.heard, watching.heard], [[], []]);
});
