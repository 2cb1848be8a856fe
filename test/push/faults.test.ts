import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { run, serve, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { actions } from "./push-scene.ts";
import { inGroups, type Received, sends, target } from "./target.ts";

async function ask(url: string, token: string, method: string, body?: unknown) {
  const authorization = `Bearer ${token}`;
  const init = { method, headers: { authorization }, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const answer = await fetch(url, init);
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  return { status: answer.status, body: (await answer.json()) as any };
}

test("a killed server loses no task: what it had sent is sent again, and what was promised may still be told", async () => {
  const data = await temporaryFolder();
  const settings = { LEADHAND_DATA: data, LEADHAND_PUSH_ALLOW_PRIVATE: "true", LEADHAND_PUSH_LEASE: "2s" };
  const aimed = await target();
  // First attempts never get an answer; the tasks that say so are promised one.
  aimed.answers("/hook", (reply, { body }) => {
    if (body.task.payload.promised === true) sends(202)(reply);
    else if (body.task.attempt > 1) sends(200, '{"done":true}')(reply);
  });
  const first = await serve([], settings);
  const token = readFileSync(join(data, "admin-token"), "utf8").trim();
  const push = { url: `${aimed.url}/hook` };
  await ask(`${first.url}/v1/rooms/@global/jobs`, token, "PUT", { category: "modifiers", name: "Hook", push });
  const payloads = [{}, {}, {}, { promised: true }];
  const tasks = payloads.map((payload) => ({ job: "@global:modifiers:Hook", payload }));
  const { body: made } = await ask(`${first.url}/v1/rooms/lab/tasks`, token, "POST", { tasks });
  await until("all are at the target", () => aimed.received.length === 4);
  const promise = aimed.received.find(({ body }) => body.task.payload.promised) as Received;
  const said = (current: number) => ({ progress: { current } });
  assert.equal((await ask(promise.body.callback_url, promise.body.lease_token, "POST", said(1))).status, 200);
  await first.stop("SIGKILL");

  const second = await serve([], settings);
  const task = async (id: string) => (await ask(`${second.url}/v1/tasks/${id}`, token, "GET")).body;
  const ids: string[] = made.items.map(({ id }: { id: string }) => id);
  for (const id of ids.slice(0, 3)) {
    await until("it is done", async () => (await task(id)).status === "completed", 15_000);
    const { items } = (await ask(`${second.url}/v1/tasks/${id}/events`, token, "GET")).body;
    const types = items.map(({ type }: { type: string }) => type.slice("task.".length));
    assert.deepEqual(types, ["submitted", "assigned", "lost", "assigned", "completed"]);
  }
  const callback = promise.body.callback_url.replace(first.url, second.url);
  const words = { outcome: "succeeded", data: "at last" };
  assert.equal((await ask(callback, promise.body.lease_token, "POST", words)).status, 200);
  const kept = await task(ids[3] as string);
  assert.deepEqual([kept.status, kept.attempt, kept.result], ["completed", 1, "at last"]);
  assert.equal(aimed.received.length, 7);
  await second.stop();
  assert.equal((await run(["verify"], settings)).code, 0);
});

test("two servers together send a target no more than its job says, and both send", withPostgres, async () => {
  // One alone has no places for as many as the target takes.
  const flags = { "database-url": await freshDatabase(), "push-allow-private": "true", "push-concurrency": "2" };
  const [here, there, aimed] = [await restScene(flags), await restScene(flags), await target()];
  const admin = await here.caller("ada", { role: "admin" });
  const { job } = actions(admin, aimed);
  const groups = inGroups(3);
  aimed.answers("/Shared", groups.answer);
  const name = await job("Shared", { push: { maxConcurrent: 3 } });
  const tasks = Array.from({ length: 12 }, () => ({ job: name, payload: {} }));
  const { items } = (await admin.post("/rooms/lab/tasks", { tasks })).body;
  await until("all were sent", () => aimed.received.length === items.length, 20_000);
  assert.equal(groups.most(), 3);
  const senders = new Set(aimed.received.map(({ body }) => new URL(body.callback_url).origin));
  assert.deepEqual([...senders].sort(), [here.url, there.url].sort());
});
