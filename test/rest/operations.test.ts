import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { refused, the } from "./workshop.ts";

const scene = await restScene();
const user = await scene.caller("user");

test("submitting an operation that nobody has registered makes it, and it stays", async () => {
  const job = "@global:operations:ping";
  const task = the(202, await user.post(`/rooms/@global/tasks/${job}`, { payload: { any: "thing" } }));
  assert.deepEqual([task.job_name, task.status], [job, "pending"]);
  const { source } = scene.serving.operations.catalog.job(job) ?? {};
  assert.equal(source, "explicit");
  const again = the(202, await user.post("/rooms/@global/tasks", { tasks: [{ job, payload: {} }] }));
  assert.equal(again.items.length, 1);
});

test("an operation that is registered is held to what it says of itself, and any other job has to be there", async () => {
  const name = "@global:operations:strict";
  const schema = { type: "object", required: ["n"] };
  the(201, await user.put("/rooms/@global/jobs", { category: "operations", name: "strict", schema }));
  refused(await user.post(`/rooms/@global/tasks/${name}`, { payload: {} }), 422, "invalid-request");
  refused(await user.post("/rooms/@global/tasks/@global:modifiers:missing", { payload: {} }), 404, "job-not-found");
});

test("a token that is not for an operation, or for its room, does not make it", async () => {
  const narrow = await scene.caller("narrow", { jobs: ["@global:modifiers:*"] });
  refused(await narrow.post("/rooms/@global/tasks/@global:operations:mine", { payload: {} }), 403, "forbidden");
  const lab = await scene.caller("lab", { rooms: ["lab"] });
  refused(await lab.post("/rooms/lab/tasks/@global:operations:mine", { payload: {} }), 403, "forbidden");
  the(202, await lab.post("/rooms/lab/tasks/lab:operations:mine", { payload: {} }));
  const viewer = await scene.caller("viewer", { role: "viewer" });
  refused(await viewer.post("/rooms/@global/tasks/@global:operations:mine", { payload: {} }), 403, "forbidden");
  assert.equal(scene.serving.operations.catalog.job("@global:operations:mine"), undefined);
});

test("the history of an operation has the document's names beside ours, and that of other jobs has not", async () => {
  const task = the(202, await user.post("/rooms/@global/tasks/@global:operations:named", { payload: {} }));
  the(200, await user.post(`/tasks/${task.id}/cancel`));
  const { items } = the(200, await user.get(`/tasks/${task.id}/events`));
  const told = items.map(({ type, name }: { type: string; name: string }) => [type, name]);
  assert.deepEqual(told, [
    ["task.submitted", "job.created"],
    ["task.cancelled", "job.cancelled"],
  ]);
  the(201, await scene.admin.put("/rooms/@global/jobs", { category: "modifiers", name: "plain", schema: {} }));
  const plain = the(202, await user.post("/rooms/@global/tasks/@global:modifiers:plain", { payload: {} }));
  const { items: others } = the(200, await user.get(`/tasks/${plain.id}/events`));
  assert.equal("name" in others[0], false);
});
