// Labels that a job asks for: every task of it goes to workers that carry them, by every way of asking for work.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectBadFields } from "./expect-problem.ts";
import { restScene } from "./scene.ts";

const { admin } = await restScene();

async function workerOf(name: string, labels: Readonly<Record<string, string>>): Promise<string> {
  const { id } = (await admin.post("/workers", { labels })).body;
  await admin.put("/rooms/lab/jobs", { category: "modifiers", name, worker_id: id });
  return id;
}

async function claimed(worker_id: string): Promise<string[]> {
  const { tasks } = (await admin.post("/tasks/claim", { worker_id, limit: 10 })).body;
  return tasks.map(({ id }: { id: string }) => id);
}

async function submit(name: string, labels?: Readonly<Record<string, string>>): Promise<string> {
  return (await admin.post(`/rooms/lab/tasks/lab:modifiers:${name}`, { ...(labels && { labels }) })).body.id;
}

test("tasks of a job that asks for labels go to workers that carry them; a task's own are added", async () => {
  const job = { category: "modifiers", name: "Bake", labels: { gpu: "yes" } };
  const registered = await admin.put("/rooms/lab/jobs", job);
  assert.deepEqual([registered.status, registered.body.labels], [201, { gpu: "yes" }]);
  const [plain, gpu, north] = [
    await workerOf("Bake", {}),
    await workerOf("Bake", { gpu: "yes" }),
    await workerOf("Bake", { gpu: "yes", site: "north" }),
  ];
  const [any, inTheNorth] = [await submit("Bake"), await submit("Bake", { site: "north", gpu: "yes" })];
  assert.deepEqual(await claimed(plain), []);
  assert.deepEqual(await claimed(gpu), [any]);
  assert.deepEqual(await claimed(north), [inTheNorth]);
});

test("a task that contradicts its job is refused, alone and among others", async () => {
  await admin.put("/rooms/lab/jobs", { category: "modifiers", name: "Firm", labels: { gpu: "yes" } });
  const path = "/rooms/lab/tasks/lab:modifiers:Firm";
  expectBadFields(await admin.post(path, { labels: { gpu: "no" } }), "/labels");
  const many = [{ job: "lab:modifiers:Firm" }, { job: "lab:modifiers:Firm", labels: { gpu: "no" } }];
  assert.equal((await admin.post("/rooms/lab/tasks", { tasks: many })).status, 422);
  const { total } = (await admin.get("/rooms/lab/jobs/lab:modifiers:Firm/tasks")).body;
  assert.equal(total, 0);
});

test("a changed selector is for tasks from then on, changes no checksum, and stays where it is left out", async () => {
  const spec = { schema: { type: "object" }, labels: { site: "north" } };
  const id = "lab:modifiers:Moved";
  const first = await admin.put(`/specs/${id}`, spec);
  assert.equal(first.status, 201);
  const [north, south] = [await announced({ site: "north" }), await announced({ site: "south" })];
  const before = await submit("Moved");
  const second = await admin.put(`/specs/${id}`, { ...spec, labels: { site: "south" } });
  assert.deepEqual([second.status, second.body.checksum], [200, first.body.checksum]);
  const after = await submit("Moved");
  assert.deepEqual(await claimed(south), [after]);
  assert.deepEqual(await claimed(north), [before]);
  await admin.put(`/specs/${id}`, { schema: spec.schema });
  assert.deepEqual((await admin.get(`/specs/${id}`)).body.labels, { site: "south" });
  await admin.put(`/specs/${id}`, { schema: spec.schema, labels: null });
  assert.equal((await admin.get(`/specs/${id}`)).body.labels, null);

  async function announced(labels: Readonly<Record<string, string>>): Promise<string> {
    const worker = (await admin.post("/workers", { labels })).body.id;
    const words = { category: "modifiers", name: "Moved", schema: spec.schema, worker_id: worker };
    assert.equal((await admin.put("/rooms/lab/jobs", words)).status, 200);
    return worker;
  }
});

test("labels that are no labels are refused", async () => {
  const job = { category: "modifiers", name: "Odd" };
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "v"]));
  expectBadFields(await admin.put("/rooms/lab/jobs", { ...job, labels: many }), "/labels");
  const push = { url: "https://example.com/hook" };
  expectBadFields(await admin.put("/specs/odd", { schema: {}, push, labels: { gpu: "yes" } }), "/labels");
});
