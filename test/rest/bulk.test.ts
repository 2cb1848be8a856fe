import assert from "node:assert/strict";
import { test } from "node:test";
import { restScene } from "./scene.ts";
import { type Body, pointers, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const user = await scene.caller("user");

const total = async (room: string) => the(200, await user.get(`/rooms/${room}/tasks`)).total;

test("many tasks of several jobs are accepted at once, told in the order given and claimed in it", async () => {
  const [one, two] = [await workshop(user), await workshop(user)];
  the(200, await user.put(`/rooms/${two.room}/jobs`, { category: "modifiers", name: "Work", worker_id: one.worker }));
  const tasks = Array.from({ length: 6 }, (_, n) => ({ job: n % 2 === 0 ? one.job : two.job, payload: { n } }));
  const { items } = the(202, await user.post(`/rooms/${one.room}/tasks`, { tasks }));
  assert.deepEqual(
    items.map((task: Body) => [task.job_name, task.payload, task.room_id, task.status]),
    tasks.map(({ job, payload }) => [job, payload, one.room, "pending"]),
  );
  const claimed = the(200, await user.post("/tasks/claim", { worker_id: one.worker, limit: 6 }));
  assert.deepEqual(
    claimed.tasks.map(({ id }: Body) => id),
    items.map(({ id }: Body) => id),
  );
});

test("payloads of many tasks pass as they were written, each to its own", async () => {
  const shop = await workshop(user);
  const body = `{"tasks":[{"payload":{"n": 1.50},"job":"${shop.job}"},{"job":"${shop.job}"},{"job":"${shop.job}","payload":{"n":1e2}}]}`;
  const answer = await user.post(`/rooms/${shop.room}/tasks`, body);
  the(202, answer);
  assert.deepEqual(answer.text.match(/"payload":\{.*?\}/g), [
    '"payload":{"n": 1.50}',
    '"payload":{}',
    '"payload":{"n":1e2}',
  ]);
});

test("one task that does not fit keeps all of them out, and every fault is told by its place", async () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const shop = await workshop(user, { schema });
  const submit = (tasks: unknown) => user.post(`/rooms/${shop.room}/tasks`, { tasks });
  const fit = { job: shop.job, payload: { n: 1 } };
  const unfit = await submit([fit, { job: shop.job, payload: { n: "x" } }, fit, { job: shop.job }]);
  refused(unfit, 422, "invalid-request");
  assert.deepEqual(pointers(unfit), ["/tasks/1/payload/n", "/tasks/3/payload/n"]);
  refused(await submit([fit, { job: `${shop.room}:modifiers:Nothing` }]), 404, "job-not-found");
  refused(await submit([fit, { job: "no-parts" }]), 404, "job-not-found");
  const both = await submit([fit, { ...fit, delay_seconds: 1, run_at: "2999-01-01T00:00:00Z" }]);
  refused(both, 422, "invalid-request");
  assert.deepEqual(pointers(both), ["/tasks/1/run_at"]);
  refused(await submit([fit, { ...fit, parent_id: "01993d6c-7a10-7000-8000-000000000000" }]), 409, "parent-closed");
  const shapeless = await submit([fit, { payload: { n: 1 } }, { ...fit, payload: [] }]);
  refused(shapeless, 422, "invalid-request");
  assert.deepEqual(pointers(shapeless), ["/tasks/1/job", "/tasks/2/payload"]);
  for (const tasks of [[], {}, null, undefined, [7]]) refused(await submit(tasks), 422, "invalid-request");
  assert.equal(await total(shop.room), 0);
  refused(await user.post("/rooms/a@b/tasks", { tasks: [fit] }), 400, "invalid-room-id");
  refused(await scene.stranger.post(`/rooms/${shop.room}/tasks`, { tasks: [fit] }), 401, "unauthorized");
});

test("a thousand tasks are taken at once, one more is refused", async () => {
  const shop = await workshop(user);
  const tasks = Array.from({ length: 1_000 }, (_, n) => ({ job: shop.job, payload: { n } }));
  const submit = (all: unknown[], headers = {}) => user.post(`/rooms/${shop.room}/tasks`, { tasks: all }, headers);
  const more = await submit([...tasks, tasks[0]]);
  refused(more, 422, "invalid-request");
  assert.deepEqual(pointers(more), ["/tasks"]);
  assert.equal(await total(shop.room), 0);
  const headers = { "idempotency-key": "thousand" };
  const { items } = the(202, await submit(tasks, headers));
  assert.deepEqual(
    items.map(({ payload }: Body) => payload.n),
    tasks.map(({ payload }) => payload.n),
  );
  const again = the(202, await submit(tasks, headers));
  assert.deepEqual(
    again.items.map(({ id }: Body) => id),
    items.map(({ id }: Body) => id),
  );
  refused(await submit(tasks.slice(1), headers), 409, "idempotency-conflict");
  assert.equal(await total(shop.room), 1_000);
  assert.equal(the(200, await admin.get(`/tasks/${items[999].id}`)).queue_position, 1_000);
});
