// Who did what to the fleet and to tasks: an entry for each act that happened, none for what was refused, and none for
// the ordinary work of workers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../src/sdk/client.ts";
import { hashOf, idOf } from "../../src/server/auth/api-token.ts";
import { run } from "../leadhand-process.ts";
import { type Caller, type Reply, restScene } from "./scene.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Loose = any;

const scene = await restScene();
const { admin } = scene;
const ada = await scene.caller("ada");
const eve = await scene.caller("eve");

function expecting(status: number, reply: Reply): Loose {
  assert.equal(reply.status, status, reply.text);
  return reply.body;
}

async function job(name: string, who: Caller = ada): Promise<{ job: string; worker: string }> {
  const { worker_id } = expecting(201, await who.put("/rooms/lab/jobs", { category: "modifiers", name }));
  return { job: `lab:modifiers:${name}`, worker: worker_id };
}

async function submit(name: string, words: object = {}): Promise<string> {
  return expecting(202, await ada.post(`/rooms/lab/tasks/${name}`, { payload: {}, ...words })).id;
}

async function claim(worker: string, who: Caller = ada): Promise<Loose> {
  return expecting(200, await who.post("/tasks/claim", { worker_id: worker, start: true })).task;
}

/** What the audit has of this target, oldest first: who, what, and the rest. */
async function acts(target: string): Promise<Loose[]> {
  const { items } = expecting(200, await admin.get(`/audit?target=${encodeURIComponent(target)}`));
  return items.toReversed();
}

const brief = (all: readonly Loose[]): string[] => all.map(({ actor, action }) => `${actor} ${action}`);

test("a cancel is written down once, with who asked for it, however many children go with it", async () => {
  const { job: name } = await job("Cancel");
  const parent = await submit(name);
  const child = await submit(name, { parent_id: parent });
  assert.equal((await eve.post(`/tasks/${parent}/cancel`)).status, 403);
  assert.equal(expecting(200, await ada.post(`/tasks/${parent}/cancel`)).cancelled_children, 1);
  assert.equal((await ada.post(`/tasks/${parent}/cancel`)).status, 409, "it is over");
  const [act, ...more] = await acts(parent);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [act.actor, act.token_id, act.action, act.kind, act.note, act.data],
    ["ada", idOf(hashOf(ada.token)), "task.cancel", "task", null, null],
  );
  assert.ok(Math.abs(Date.parse(act.at) - Date.now()) < 60_000);
  assert.deepEqual(await acts(child), []);
  const withdrawn = await submit(name);
  expecting(200, await ada.patch(`/tasks/${withdrawn}`, { status: "cancelled", error: "too late" }));
  assert.deepEqual(
    (await acts(withdrawn)).map(({ action, note }) => [action, note]),
    [["task.cancel", "too late"]],
  );
});

test("claims, starts and results are no acts, and neither is what a superuser says of his own worker's task", async () => {
  const { job: name, worker } = await job("Ordinary");
  const id = await submit(name);
  await claim(worker);
  expecting(200, await ada.patch(`/tasks/${id}`, { status: "completed" }));
  assert.deepEqual(await acts(id), []);
  const { job: own, worker: owned } = await job("Own", admin);
  const mine = await submit(own);
  await claim(owned, admin);
  expecting(200, await admin.patch(`/tasks/${mine}`, { status: "completed" }));
  assert.deepEqual(await acts(mine), []);
});

test("a superuser who settles what is in another's hands is written down, with what it was before", async () => {
  const { job: name, worker } = await job("Override");
  const id = await submit(name);
  await claim(worker);
  expecting(200, await admin.patch(`/tasks/${id}`, { status: "failed", error: "stuck" }));
  assert.equal((await admin.patch(`/tasks/${id}`, { status: "completed" })).status, 409);
  const all = await acts(id);
  assert.deepEqual(brief(all), ["admin task.override"]);
  assert.deepEqual(all[0].data, { move: "fail", from: "running", worker_id: worker });
  const history = expecting(200, await admin.get(`/tasks/${id}/events`));
  assert.equal(history.items.at(-1).type, "task.failed");
  const released = await submit(name);
  await claim(worker);
  expecting(200, await admin.post(`/tasks/${released}/release`, {}));
  expecting(200, await admin.post(`/tasks/${released}/cancel`));
  assert.deepEqual(brief(await acts(released)), ["admin task.override", "admin task.cancel"]);
});

test("a retry names the new task, and a removal what was removed", async () => {
  const { job: name } = await job("Again");
  const id = await submit(name);
  assert.equal((await ada.post(`/tasks/${id}/retry`)).status, 409, "it is open");
  assert.equal((await ada.delete(`/tasks/${id}`)).status, 409, "it is open");
  expecting(200, await ada.post(`/tasks/${id}/cancel`));
  const again = expecting(202, await ada.post(`/tasks/${id}/retry`)).id;
  expecting(204, await ada.delete(`/tasks/${id}`));
  assert.equal((await ada.delete(`/tasks/${id}`)).status, 404, "it is gone");
  const all = await acts(id);
  assert.deepEqual(brief(all), ["ada task.cancel", "ada task.retry", "ada task.delete"]);
  assert.deepEqual(all[1].data, { task_id: again });
  assert.deepEqual(all[2].data, { job: name, room_id: "lab", status: "cancelled" });
});

test("a worker that somebody deletes is written down, with whose it was", async () => {
  const { worker } = await job("Gone");
  assert.equal((await eve.delete(`/workers/${worker}`)).status, 403);
  expecting(204, await admin.delete(`/workers/${worker}`));
  assert.equal((await admin.delete(`/workers/${worker}`)).status, 404);
  const all = await acts(worker);
  assert.deepEqual(brief(all), ["admin worker.delete"]);
  assert.deepEqual(all[0].data, { name: null, profile: "rest", owner: "ada" });
});

test("a worker that was given up before is deleted with an entry too", async () => {
  const { operations } = scene.serving;
  const { id } = await operations.workers.register({ profile: "fleet", owner: "ada" });
  await operations.losing.unregister(operations.catalog.worker(id) as Loose);
  expecting(204, await ada.delete(`/workers/${id}`));
  assert.deepEqual(brief(await acts(id)), ["ada worker.delete"]);
});

test("a job is written down when it is new, and its specs when they change", async () => {
  const { job: name, worker } = await job("Spec");
  expecting(200, await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "Spec", worker_id: worker }));
  assert.equal((await ada.put(`/specs/${name}`, { schema: { title: "two" } })).status, 403);
  const { checksum } = expecting(200, await admin.put(`/specs/${name}`, { schema: { title: "two" } }));
  expecting(200, await admin.put(`/specs/${name}`, { schema: { title: "two" } }));
  const all = await acts(name);
  assert.deepEqual(brief(all), ["ada job.register", "admin spec.put"]);
  assert.deepEqual(all[1].data, { checksum, before: all[0].data.checksum });
  const specs = ["one", "two"].map((id) => ({ id, schema: {} }));
  expecting(200, await admin.post("/specs", { specs }));
  expecting(204, await admin.delete("/specs/one"));
  assert.equal((await admin.delete("/specs/one")).status, 404);
  assert.deepEqual(brief(await acts("@global:specs:one")), ["admin spec.put", "admin spec.delete"]);
  assert.deepEqual(brief(await acts("@global:specs:two")), ["admin spec.put"]);
});

test("a provider that somebody deletes is written down", async () => {
  const words = { category: "files", name: "reader", schema: {}, content_type: "application/json" };
  const { id } = expecting(201, await ada.put("/rooms/lab/providers", words));
  assert.equal((await eve.delete(`/providers/${id}`)).status, 403);
  expecting(204, await ada.delete(`/providers/${id}`));
  assert.deepEqual(brief(await acts("lab:files:reader")), ["ada provider.delete"]);
});

test("a token that is made or revoked at the command line is written down, without the token", async () => {
  const environment = { LEADHAND_DATA: scene.data };
  const made = await run(["token", "create", "--user", "zoe", "--role", "viewer", "--json"], environment);
  assert.equal(made.code, 0, made.err);
  const { id, token } = JSON.parse(made.out);
  assert.equal((await run(["token", "revoke", id], environment)).code, 0);
  assert.equal((await run(["token", "revoke", id], environment)).code, 0, "it stays revoked");
  const all = await acts(id);
  assert.deepEqual(
    all.map(({ action }) => action),
    ["token.create", "token.revoke"],
  );
  assert.match(all[0].actor, /^shell:./);
  assert.deepEqual([all[0].data.user, all[0].data.role, all[0].token_id], ["zoe", "viewer", null]);
  assert.ok(!JSON.stringify(all).includes(token));
  const first = expecting(200, await admin.get("/audit?actor=server&action=token.create"));
  assert.equal(first.total, 1, "the token of the first start");
});

test("the audit is narrowed by each of its words, and everyone but a superuser sees their own acts alone", async () => {
  const { job: name } = await job("Seen", eve);
  const id = await submit(name);
  expecting(200, await admin.post(`/tasks/${id}/cancel`));
  const list = async (who: Caller, query: string): Promise<string[]> =>
    brief(expecting(200, await who.get(`/audit?${query}`)).items);
  assert.deepEqual(await list(admin, `target=${id}&kind=task&action=task.cancel&actor=admin`), ["admin task.cancel"]);
  assert.deepEqual(await list(admin, `target=${id}&kind=worker`), []);
  assert.deepEqual(await list(eve, ""), ["eve job.register"]);
  assert.deepEqual(await list(eve, "actor=admin"), []);
  assert.deepEqual(await list(eve, "actor=eve"), ["eve job.register"]);
  const [{ at }] = await acts(id);
  assert.deepEqual(await list(admin, `target=${id}&since=${at}`), ["admin task.cancel"]);
  assert.deepEqual(await list(admin, `target=${id}&before=${at}`), []);
  assert.equal((await admin.get("/audit?since=yesterday")).status, 422);
  assert.equal((await scene.stranger.get("/audit")).status, 401);
  const page = expecting(200, await admin.get("/audit?limit=2&offset=1"));
  assert.deepEqual([page.items.length, page.limit, page.offset], [2, 2, 1]);
});

test("the audit is read by the client and at the command line", async () => {
  const { job: name } = await job("Read");
  const id = await submit(name);
  expecting(200, await ada.patch(`/tasks/${id}`, { status: "cancelled", error: "by mistake" }));
  using client = new Client({ url: scene.url, token: admin.token });
  const told = [];
  for await (const { actor, note } of client.audit({ target: id, since: new Date(0) })) told.push([actor, note]);
  assert.deepEqual(told, [["ada", "by mistake"]]);
  assert.equal((await client.explain(id)).cause, "ended");
  const environment = { LEADHAND_URL: scene.url, LEADHAND_TOKEN: admin.token };
  const { out, code } = await run(["audit", "--target", id, "--since", "2020-01-01"], environment);
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^TIME .*\\n20\\S+Z +ada +task\\.cancel +${id} +by mistake`));
  const { items } = JSON.parse((await run(["audit", "--action", "task.cancel", "--json"], environment)).out);
  assert.ok(items.length > 0 && items.every(({ action }: { action: string }) => action === "task.cancel"));
  assert.equal((await run(["audit", "--since", "yesterday"], environment)).code, 2);
});
