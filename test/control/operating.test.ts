import assert from "node:assert/strict";
import { test } from "node:test";
import { expectBadFields, expectProblem } from "../rest/expect-problem.ts";
import { restScene } from "../rest/scene.ts";
import { the, workshop } from "../rest/workshop.ts";

const scene = await restScene();
const { admin } = scene;
const ada = await scene.caller("ada");
const bob = await scene.caller("bob");
const viewer = await scene.caller("ada", { role: "viewer" });

test("an admin operates every worker, an owner his own, anybody else none, a viewer nothing at all", async () => {
  const { worker, held } = await workshop(ada);
  const { id } = await held();
  const acts: [string, object][] = [
    [`/workers/${worker}/pause`, { note: "why not" }],
    [`/workers/${worker}/resume`, {}],
    [`/workers/${worker}/drain`, { deadline_seconds: 100 }],
    [`/workers/${worker}/concurrency`, { value: 3 }],
    [`/workers/${worker}/concurrency`, { value: null }],
    [`/workers/${worker}/resume`, {}],
  ];
  for (const [path, body] of acts) {
    expectProblem(await bob.post(path, body), "forbidden");
    expectProblem(await viewer.post(path, body), "forbidden");
    the(200, await ada.post(path, body));
    the(200, await admin.post(path, body));
  }
  expectProblem(await bob.post(`/tasks/${id}/evict`), "forbidden");
  expectProblem(await viewer.post(`/tasks/${id}/evict`), "forbidden");
  assert.equal(the(200, await ada.post(`/tasks/${id}/evict`, { note: "it hangs" })).status, "pending");
  expectProblem(await ada.post(`/tasks/${id}/evict`), "invalid-task-transition");
});

test("jobs and queues are paused by admins alone", async () => {
  const { job } = await workshop(ada);
  for (const path of [`/jobs/${job}/pause`, `/jobs/${job}/resume`, "/queues/Fast/pause", "/queues/Fast/resume"]) {
    for (const who of [ada, viewer]) expectProblem(await who.post(path), "forbidden");
    the(200, await admin.post(path));
  }
});

test("a paused worker is shown with who paused it, why, and until when, and claims nothing", async () => {
  const { worker, submit, claim } = await workshop(ada);
  await submit();
  const before = Date.parse(the(200, await ada.get(`/workers/${worker}`)).seen_at);
  const shown = the(200, await admin.post(`/workers/${worker}/pause`, { note: "the disk is full", for_seconds: 600 }));
  const { at, until, ...pause } = shown.pause;
  assert.deepEqual([shown.paused, pause], [true, { by: "admin", note: "the disk is full" }]);
  const lasts = Date.parse(until) - Date.parse(at);
  assert.ok(Date.parse(at) >= before && lasts <= 600_000 && lasts > 590_000, `${lasts} ms`);
  assert.deepEqual(the(200, await ada.get(`/workers/${worker}`)).pause, shown.pause);
  assert.equal(the(200, await ada.post("/tasks/claim", { worker_id: worker })).task, null);
  const listed = the(200, await bob.get("/pauses")).items;
  assert.deepEqual(
    listed.find(({ name }: { name: string }) => name === worker),
    { kind: "worker", name: worker, ...shown.pause },
  );
  const resumed = the(200, await ada.post(`/workers/${worker}/resume`));
  assert.deepEqual([resumed.paused, resumed.pause], [false, null]);
  await claim();
});

test("a draining worker is shown so, and a limited one with its limit", async () => {
  const { worker } = await workshop(ada);
  const drained = the(200, await ada.post(`/workers/${worker}/drain`, { note: "new kernel", deadline_seconds: 60 }));
  assert.equal(drained.draining, true);
  const { at, deadline, ...drain } = drained.drain;
  assert.deepEqual([drain, Date.parse(deadline) - Date.parse(at)], [{ by: "ada", note: "new kernel" }, 60_000]);
  const limited = the(200, await ada.post(`/workers/${worker}/concurrency`, { value: 2 }));
  assert.equal(limited.concurrency_limit, 2);
  const resumed = the(200, await ada.post(`/workers/${worker}/resume`));
  assert.deepEqual([resumed.draining, resumed.drain, resumed.concurrency_limit], [false, null, 2]);
});

test("a worker over REST hears of a command with each heartbeat until it has acknowledged it", async () => {
  const { worker } = await workshop(ada);
  the(200, await admin.post(`/workers/${worker}/drain`, { note: "new kernel" }));
  const [command] = the(200, await ada.patch(`/workers/${worker}`)).commands;
  const { id } = command;
  assert.deepEqual(command, { id, type: "drain", deadline: null, note: "new kernel" });
  assert.deepEqual(the(200, await ada.patch(`/workers/${worker}`)).commands, [command]);
  const [told] = the(200, await bob.get(`/workers/${worker}/commands`)).items;
  assert.deepEqual([told.id, told.by, told.acked_at, told.ok], [id, "admin", null, null]);
  assert.notEqual(told.delivered_at, null);
  const path = `/workers/${worker}/commands/${id}/ack`;
  expectProblem(await bob.post(path), "forbidden");
  expectProblem(await admin.post(path), "forbidden");
  const acked = the(200, await ada.post(path, { ok: true, detail: "idle" }));
  assert.deepEqual([acked.ok, acked.detail, acked.delivered_at], [true, "idle", told.delivered_at]);
  assert.deepEqual(the(200, await ada.post(path, { ok: false })), acked, "the first word counts");
  assert.deepEqual(the(200, await ada.patch(`/workers/${worker}`)).commands, []);
  expectProblem(await ada.post(`/workers/${worker}/commands/${worker}/ack`), "command-not-found");
});

test("a limited worker holds no more than that, and what was evicted is refused to it", async () => {
  const { worker, submit } = await workshop(ada);
  for (let count = 0; count < 3; count += 1) await submit();
  the(200, await ada.post(`/workers/${worker}/concurrency`, { value: 2 }));
  const { tasks } = the(200, await ada.post("/tasks/claim", { worker_id: worker, limit: 10 }));
  assert.equal(tasks.length, 2);
  assert.equal(the(200, await ada.post("/tasks/claim", { worker_id: worker, limit: 10 })).tasks.length, 0);
  const [first] = tasks;
  const evicted = the(200, await admin.post(`/tasks/${first.id}/evict`, { note: "it hangs" }));
  assert.deepEqual([evicted.status, evicted.worker_id, evicted.losses], ["pending", null, 0]);
  const late = await ada.patch(`/tasks/${first.id}`, { status: "completed", lease_token: first.lease_token });
  expectProblem(late, "lease-lost");
  const events = the(200, await ada.get(`/tasks/${first.id}/events`)).items;
  const released = events.find(({ type }: { type: string }) => type === "task.released");
  assert.equal(released.data.reason, "evicted");
});

test("nothing of a paused job or queue is given out, and both are shown with why", async () => {
  const { worker, job, submit } = await workshop(ada);
  await submit({ queue: "Slow" });
  const { at, ...pause } = the(200, await admin.post(`/jobs/${job}/pause`, { note: "it eats the disk" }));
  assert.deepEqual(pause, { kind: "job", name: job, by: "admin", note: "it eats the disk", until: null });
  const path = `/rooms/${job.split(":")[0]}/jobs/${job}`;
  assert.equal(the(200, await ada.get(path)).pause.note, "it eats the disk");
  const claim = async () => the(200, await ada.post("/tasks/claim", { worker_id: worker })).task;
  assert.equal(await claim(), null);
  the(200, await admin.post("/queues/Slow/pause", { until: new Date(Date.parse(at) + 600_000).toISOString() }));
  const { ended } = the(200, await admin.post(`/jobs/${job}/resume`));
  assert.deepEqual([ended.name, the(200, await admin.post(`/jobs/${job}/resume`)).ended], [job, null]);
  assert.equal(await claim(), null);
  const queues = the(200, await ada.get("/queues?limit=500")).items;
  const slow = queues.find(({ name }: { name: string }) => name === "Slow");
  assert.deepEqual([typeof slow.waiting, slow.pause.by], ["number", "admin"]);
  the(200, await admin.post("/queues/Slow/resume"));
  assert.notEqual(await claim(), null);
});

test("a token that is limited to rooms sees neither their jobs' queues nor their pauses elsewhere", async () => {
  const { job, submit } = await workshop(ada);
  await submit({ queue: `only-${job}` });
  the(200, await admin.post(`/jobs/${job}/pause`));
  const stranger = await scene.caller("eve", { rooms: ["elsewhere"] });
  const names = (items: { name: string }[]) => items.map(({ name }) => name);
  assert.ok(!names(the(200, await stranger.get("/queues?limit=500")).items).includes(`only-${job}`));
  assert.ok(!names(the(200, await stranger.get("/pauses?limit=500")).items).includes(job));
  assert.ok(names(the(200, await ada.get("/pauses?limit=500")).items).includes(job));
});

test("workers with a label are drained some at a time, and a plan is its owner's to stop", async () => {
  const { job, submit } = await workshop(ada);
  const workers: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { id } = the(201, await ada.post("/workers", { labels: { zone: "b" } }));
    const [room = "", category = "", name = ""] = job.split(":");
    the(200, await ada.put(`/rooms/${room}/jobs`, { category, name, worker_id: id }));
    await submit();
    assert.notEqual(the(200, await ada.post("/tasks/claim", { worker_id: id })).task, null);
    workers.push(id);
  }
  const words = { label: "zone=b", at_a_time: 2, deadline_seconds: 100, note: "new kernel" };
  expectProblem(await viewer.post("/workers/drain", words), "forbidden");
  expectProblem(await bob.post("/workers/drain", words), "worker-not-found");
  const plan = the(201, await ada.post("/workers/drain", words));
  assert.deepEqual([plan.label, plan.at_a_time, plan.deadline_seconds, plan.by], ["zone=b", 2, 100, "ada"]);
  assert.deepEqual([[...plan.draining, ...plan.waiting], plan.waiting.length, plan.done], [[...workers].sort(), 1, []]);
  assert.deepEqual(the(200, await ada.get("/drains")).items, [plan]);
  assert.deepEqual(the(200, await bob.get("/drains")).items, []);
  expectProblem(await bob.delete(`/drains/${plan.id}`), "drain-not-found");
  the(200, await ada.delete(`/drains/${plan.id}`));
  expectProblem(await ada.delete(`/drains/${plan.id}`), "drain-not-found");
  const states = await Promise.all(workers.map(async (id) => the(200, await ada.get(`/workers/${id}`)).draining));
  assert.equal(states.filter(Boolean).length, 2);
});

test("what cannot be meant is refused by its field", async () => {
  const { worker, job } = await workshop(ada);
  const soon = new Date().toISOString();
  expectBadFields(await ada.post(`/workers/${worker}/pause`, { until: "2001-01-01T00:00:00Z" }), "/until");
  expectBadFields(await ada.post(`/workers/${worker}/pause`, { until: soon, for_seconds: 5 }), "/until");
  expectBadFields(await ada.post(`/workers/${worker}/concurrency`, { value: 0 }), "/value");
  expectProblem(await ada.post(`/workers/${worker}/concurrency`, {}), "invalid-request");
  expectProblem(await ada.post(`/workers/${worker}/drain`, { deadline_seconds: -1 }), "invalid-request");
  expectBadFields(await ada.post("/workers/drain", { label: "zone" }), "/label");
  expectProblem(await admin.post(`/jobs/${job}x/pause`), "job-not-found");
  expectProblem(await ada.post(`/workers/${job}/pause`), "invalid-request");
  const nobody = "01993d6c-7b30-7000-8000-4c5d6e7f8091";
  expectProblem(await admin.post(`/workers/${nobody}/pause`), "worker-not-found");
  expectProblem(await admin.post(`/tasks/${nobody}/evict`), "task-not-found");
  expectProblem(await admin.get(`/workers/${nobody}/commands`), "worker-not-found");
});
