// A token that is for one room, on a connection that asks for everything there is to hear.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fillVault, mark, room } from "../rest/limited/vault.ts";
import { type Caller, restScene } from "../rest/scene.ts";
import { type Connected, connect, register, submit } from "./scene.ts";

// No worker beats here, and none is to be lost meanwhile.
const scene = await restScene({ "worker-timeout-seconds": "600" });
const { admin, caller, url } = scene;
await register(admin, "@global", "Shared");

/** Joins whatever can be named there; all of it is refused but the feed. */
async function joined(who: Caller, names: Readonly<Record<string, readonly string[]>>): Promise<Connected> {
  const listening = await connect(url, who);
  assert.deepEqual(await listening.ask("feed_join"), { ok: true });
  const [worker_id, job_name, provider_name] = ["worker_id", "job_name", "provider_name"].map(
    (name) => names[name]?.[0],
  );
  const asked: [event: string, data: object][] = [
    ["room_join", { room_id: room }],
    ["join_job_room", { job_name, worker_id }],
    ["join_provider_room", { provider_name, worker_id }],
    ...(names["task_id"] ?? []).map((task_id): [string, object] => ["task_follow", { task_id }]),
  ];
  for (const [event, data] of asked) assert.equal((await listening.ask(event, data)).ok, false, event);
  return listening;
}

test("it hears of its room, and of another one nothing, whatever happens there", async () => {
  const first = await fillVault(scene);
  const listeners = [
    await joined(await caller("carl", { rooms: ["den"] }), first.names),
    await joined(await caller("vic", { role: "viewer", rooms: ["den"] }), first.names),
    await joined(await caller("jo", { rooms: ["den"], jobs: ["den:*", "@global:*"] }), first.names),
  ];
  const vera = await caller("vera-qzxvq");
  const { job, worker } = await register(vera, room, "QzxvqAgain");
  const hidden = await submit(vera, room, job, { qzxvq: "qzxvq" });
  await vera.post("/tasks/claim", { worker_id: worker });
  await vera.patch(`/tasks/${hidden}`, { status: "failed", error: "qzxvq" });
  await vera.post(`/workers/${worker}/alerts`, { severity: "error", code: "qzxvq", message: "qzxvq" });
  await vera.delete(`/workers/${worker}`);
  const { job: own } = await register(admin, "den", "Rotate");
  const shown = await submit(admin, "den", own);
  for (const { hears, heard } of listeners) {
    await hears("task_status_event", ({ id }) => id === shown);
    const text = JSON.stringify(heard).toLowerCase();
    for (const part of [mark, hidden, worker, ...first.ids]) assert.ok(!text.includes(part), text);
  }
});
