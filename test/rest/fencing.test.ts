import assert from "node:assert/strict";
import { test } from "node:test";
import { type Caller, restScene } from "./scene.ts";
import { history, lines, refused, the, workshop } from "./workshop.ts";

const scene = await restScene();
const { admin } = scene;
const first = await scene.caller("first");
const second = await scene.caller("second");

/** A task that its first holder lost, in the hands of another. */
async function takenOver(late: Caller, present: Caller) {
  const shop = await workshop(late, { policy: { onWorkerLost: "requeue" } });
  const former = await shop.running();
  const worker = await shop.another(present);
  the(204, await late.delete(`/workers/${shop.worker}`));
  assert.deepEqual(await admin.get(`/tasks/${former.id}`).then(({ body }) => [body.status, body.losses]), [
    "pending",
    1,
  ]);
  const now = await shop.claim(worker, present);
  assert.deepEqual([now.id, now.attempt], [former.id, 2]);
  assert.notEqual(now.lease_token, former.lease_token);
  return { shop, id: former.id, former, now, worker };
}

test("a lease token proves the attempt, in the body or in the header; the body's counts", async () => {
  const shop = await workshop(first);
  const { id, lease_token } = await shop.held();
  const path = `/tasks/${id}`;
  const running = { status: "running" };
  refused(await first.patch(path, { ...running, lease_token: "stolen" }), 409, "lease-lost");
  refused(await first.patch(path, running, { "leadhand-lease": "stolen" }), 409, "lease-lost");
  refused(
    await first.patch(path, { ...running, lease_token: "stolen" }, { "leadhand-lease": lease_token }),
    409,
    "lease-lost",
  );
  the(200, await first.patch(path, running, { "leadhand-lease": lease_token }));
  the(200, await first.patch(path, { status: "completed", lease_token }, { "leadhand-lease": "stolen" }));
  assert.deepEqual((await history(admin, id)).slice(0, 4), ["submitted", "claimed", "started", "completed"]);
  assert.equal((await lines(admin, id, "result_refused")).length, 3);
});

test("whoever has the lease token speaks for the attempt, whoever he is", async () => {
  const shop = await workshop(first);
  const { id, lease_token } = await shop.held();
  refused(await second.patch(`/tasks/${id}`, { status: "running" }), 403, "forbidden");
  refused(await second.patch(`/tasks/${id}`, { status: "running", lease_token: "guessed" }), 403, "forbidden");
  the(200, await second.patch(`/tasks/${id}`, { status: "running", lease_token }));
});

test("an attempt fences as a lease token does", async () => {
  const { id, now } = await takenOver(first, first);
  const say = (words: object) => first.patch(`/tasks/${id}`, { status: "running", ...words });
  refused(await say({ attempt: 1 }), 409, "lease-lost");
  refused(await say({ attempt: 3 }), 409, "lease-lost");
  refused(await say({ attempt: 1, lease_token: now.lease_token }), 409, "lease-lost");
  for (const attempt of [0, -1, 1.5, "2", 2 ** 31]) refused(await say({ attempt }), 422, "invalid-request");
  the(200, await say({ attempt: 2 }));
});

test("without proof the owner is believed while a task has had one holder, and afterwards has to bring it", async () => {
  const shop = await workshop(first);
  const { id } = await shop.held();
  the(200, await first.patch(`/tasks/${id}`, { status: "running" }));
  the(200, await first.post(`/tasks/${id}/release`, {}));
  const { lease_token } = await shop.claim();
  refused(await first.patch(`/tasks/${id}`, { status: "running" }), 409, "lease-token-required");
  refused(await first.post(`/tasks/${id}/release`, {}), 409, "lease-token-required");
  refused(await first.post(`/tasks/${id}/progress`, { current: 1 }), 409, "lease-token-required");
  const [line] = await lines(admin, id, "result_refused");
  assert.deepEqual(line.data, { move: "start", code: "lease-token-required" });
  the(200, await first.patch(`/tasks/${id}`, { status: "running", lease_token }));
  refused(await first.patch(`/tasks/${id}`, { status: "completed" }), 409, "lease-token-required");
  the(200, await first.patch(`/tasks/${id}`, { status: "completed", lease_token }));
});

test("a former holder's word comes too late, with proof and without: 409, never 403, and the history says so", async () => {
  const { id, former, now, shop, worker } = await takenOver(first, second);
  const late = { status: "completed", result: "late" };
  refused(await first.patch(`/tasks/${id}`, { ...late, lease_token: former.lease_token }), 409, "lease-lost");
  refused(await first.patch(`/tasks/${id}`, late), 409, "lease-lost");
  refused(await first.patch(`/tasks/${id}`, { ...late, attempt: 1 }), 409, "lease-lost");
  refused(await first.patch(`/tasks/${id}`, { status: "failed", error: "late" }), 409, "lease-lost");
  refused(await first.post(`/tasks/${id}/release`, {}), 409, "lease-lost");
  refused(await first.post(`/tasks/${id}/progress`, { current: 1 }), 409, "lease-lost");
  the(200, await second.patch(`/tasks/${id}`, { status: "running", lease_token: now.lease_token }));
  const done = { status: "completed", result: "mine", lease_token: now.lease_token };
  assert.equal(the(200, await second.patch(`/tasks/${id}`, done)).worker_id, worker);
  const after = await first.patch(`/tasks/${id}`, { ...late, lease_token: former.lease_token });
  assert.equal(after.status, 409, after.text);
  const after2 = await first.patch(`/tasks/${id}`, late);
  assert.equal(after2.status, 409, after2.text);
  assert.equal(the(200, await admin.get(`/tasks/${id}`)).result, "mine");
  const refusals = await lines(admin, id, "result_refused");
  assert.equal(refusals.length, 7);
  for (const line of refusals) assert.deepEqual([line.attempt, line.worker_id], [1, shop.worker]);
});

test("the owner of a worker that was lost with its task hears that it is too late, not that it is forbidden", async () => {
  const shop = await workshop(first);
  const { id, lease_token } = await shop.running({}, second);
  the(204, await first.delete(`/workers/${shop.worker}`));
  const lost = the(200, await admin.get(`/tasks/${id}`));
  assert.deepEqual([lost.status, lost.error, lost.worker_id], ["failed", "Worker disconnected", shop.worker]);
  for (const proof of [{}, { lease_token }, { attempt: 1 }]) {
    const late = await first.patch(`/tasks/${id}`, { status: "completed", ...proof });
    assert.equal(late.status, 409, late.text);
  }
  assert.equal((await lines(admin, id, "result_refused")).length, 3);
  refused(await (await scene.caller("third")).patch(`/tasks/${id}`, { status: "completed" }), 403, "forbidden");
});

test("a superuser's word is fenced by what it carries, and an override where it carries nothing", async () => {
  const { id, former, now } = await takenOver(first, second);
  const say = (words: object) => admin.patch(`/tasks/${id}`, { status: "running", ...words });
  refused(await say({ lease_token: former.lease_token }), 409, "lease-lost");
  refused(await say({ lease_token: "guessed" }), 409, "lease-lost");
  refused(await say({ attempt: 1 }), 409, "lease-lost");
  the(200, await say({ lease_token: now.lease_token }));
  const [started] = await lines(admin, id, "started");
  assert.equal(started.data, null);
  the(200, await admin.patch(`/tasks/${id}`, { status: "failed", error: "enough" }));
  const [failed] = await lines(admin, id, "failed");
  assert.deepEqual(failed.data, { error: "enough", actor: "admin" });
});

test("a superuser who brings proof for a task in nobody's hands is too late, not forbidden", async () => {
  const shop = await workshop(first);
  const { id } = await shop.submit();
  refused(await admin.patch(`/tasks/${id}`, { status: "running", attempt: 1 }), 409, "lease-lost");
  refused(await admin.patch(`/tasks/${id}`, { status: "running", lease_token: "guessed" }), 409, "lease-lost");
});
