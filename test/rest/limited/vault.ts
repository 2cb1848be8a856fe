// A room of which limited tokens must learn nothing. Whatever can be said of it has a mark in it, and whatever has an id is
// listed, so that an answer that tells anything of it can be known by its text alone.

import assert from "node:assert/strict";
import { until } from "../../../src/testing/until.ts";
import type { Caller, RestScene } from "../scene.ts";
import { the } from "../workshop.ts";

/** Long enough that no secret has it by chance. */
export const mark = "qzxvq";

/** By the names of parameters of paths and queries. */
export type Names = Readonly<Record<string, readonly string[]>>;

export interface Vault {
  readonly names: Names;
  /** Of everything in it; texts with the mark are not listed. */
  readonly ids: readonly string[];
  /** Everything of it that a limited token might change, as an admin sees it. */
  state(): Promise<unknown>;
}

export const room = "qzxvq-vault";
export const sharedJob = "@global:modifiers:Shared";
const job = `${room}:modifiers:QzxvqPress`;

/** Its tasks are of a job of its own and of one that is everybody's, some of them submitted into it by its neighbours' job. */
export async function fillVault({ admin, caller }: RestScene): Promise<Vault> {
  const vera = await caller("vera-qzxvq");
  const worker = await workerOf(vera);
  const tasks = [...(await ownTasks(vera, worker)), ...(await sharedTasks(vera, admin))];
  const provider = await providerOf(vera);
  const [act, token, drain] = await deeds(vera, admin, worker);
  const commands = the(200, await vera.get(`/workers/${worker}/commands`)).items as { readonly id: string }[];
  assert.ok(commands.length > 0, "there is something to find");
  const fingerprints = await failuresOf(vera);
  const [own] = tasks as [string];
  const names: Names = {
    ...{ room_id: [room], room: [room], job_name: [job], job: [job], spec_id: [job, `${room}:specs:QzxvqSpec`] },
    ...{ worker_id: [worker], task_id: tasks, act_id: [act], token_id: [token], drain_id: [drain] },
    ...{ provider_name: [`${room}:files:qzxvq`], provider_id: [provider], queue: ["qzxvq-queue"] },
    command_id: commands.map(({ id }) => id),
    fingerprint: fingerprints,
    find: [room, "qzxvq"],
    uuid: [worker],
    ...{ label: ["zone=qzxvq"], actor: [vera.user, "admin"], target: [own, job, worker], action: ["task.cancel"] },
    q: [
      `room:${room}`,
      `job:${job}`,
      `id:${own}`,
      `worker:${worker}`,
      "worker:qzxvq-worker",
      "error~qzxvq",
      "input.qzxvq=qzxvq",
    ],
  };
  return {
    names,
    ids: [worker, provider, act, token, drain, ...tasks, ...commands.map(({ id }) => id)],
    state: () => stateOf(admin, worker),
  };
}

async function workerOf(vera: Caller): Promise<string> {
  const words = { name: "qzxvq-worker", hostname: "qzxvq-host", labels: { zone: "qzxvq" }, concurrency: 9 };
  const { id } = the(201, await vera.post("/workers", words));
  const schema = { type: "object", description: "qzxvq" };
  const about = { category: "modifiers", name: "QzxvqPress", schema, queue: "qzxvq-queue", worker_id: id };
  the(201, await vera.put(`/rooms/${room}/jobs`, about));
  const push = { url: "https://qzxvq.example/" };
  the(201, await vera.put(`/rooms/${room}/jobs`, { category: "modifiers", name: "QzxvqPush", push }));
  return id;
}

/** One that waits, one in hand, and one of each end. */
async function ownTasks(vera: Caller, worker: string): Promise<string[]> {
  const payload = { qzxvq: "qzxvq" };
  const submitted: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    submitted.push(the(202, await vera.post(`/rooms/${room}/tasks/${job}`, { payload })).id);
  }
  const claimed = the(200, await vera.post("/tasks/claim", { worker_id: worker, limit: 3, start: true })).tasks;
  const [failed, completed, busy] = claimed as { readonly id: string; readonly lease_token: string }[];
  assert.ok(failed && completed && busy);
  await ended(vera, failed, {
    status: "failed",
    error: "qzxvq: no space",
    error_code: "qzxvq",
    error_details: payload,
  });
  await ended(vera, completed, { status: "completed", result: payload });
  const { lease_token } = busy;
  const lines = [{ message: "qzxvq line" }, { event: "qzxvq.event", fields: payload }];
  the(204, await vera.post(`/tasks/${busy.id}/logs`, { lines, lease_token }));
  the(204, await vera.post(`/tasks/${busy.id}/progress`, { current: 1, total: 3, message: "qzxvq", lease_token }));
  const child = the(202, await vera.post(`/rooms/${room}/tasks/${job}`, { payload, parent_id: busy.id }));
  const [dropped] = submitted.slice(-1) as [string];
  the(200, await vera.patch(`/tasks/${dropped}`, { status: "cancelled", error: "qzxvq note" }));
  return [...submitted, child.id];
}

async function sharedTasks(vera: Caller, admin: Caller): Promise<string[]> {
  const path = `/rooms/${room}/tasks/${sharedJob}`;
  const tasks = [the(202, await vera.post(path, {})), the(202, await vera.post(path, { payload: { qzxvq: "qzxvq" } }))];
  const { worker_id } = the(200, await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Shared" }));
  const [first] = tasks;
  const taken = the(200, await admin.post(`/tasks/${first.id}/claim`, { worker_id }));
  await ended(admin, taken, { status: "running" });
  await ended(admin, taken, { status: "failed", error: "qzxvq: shared and failed" });
  the(204, await admin.delete(`/workers/${worker_id}`));
  return tasks.map(({ id }) => id);
}

async function ended(who: Caller, task: { readonly id: string; readonly lease_token: string }, words: object) {
  the(200, await who.patch(`/tasks/${task.id}`, { ...words, lease_token: task.lease_token }));
}

async function providerOf(vera: Caller): Promise<string> {
  const words = { category: "files", name: "qzxvq", schema: { qzxvq: {} }, content_type: "text/plain" };
  const { id } = the(201, await vera.put(`/rooms/${room}/providers`, words));
  // The hash of the question without parameters.
  const unasked = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
  the(204, await vera.post(`/providers/${id}/results`, "qzxvq", { "x-request-hash": unasked }));
  return id;
}

/** What people did there, with what they said of it. */
async function deeds(
  vera: Caller,
  admin: Caller,
  worker: string,
): Promise<[act: string, token: string, drain: string]> {
  const note = "qzxvq note";
  the(200, await vera.post(`/workers/${worker}/alerts`, { severity: "error", code: "qzxvq", message: "qzxvq alert" }));
  const { id: act } = the(202, await vera.post("/tasks/acts", { act: "cancel", q: "error~qzxvq", note }));
  const words = { name: "qzxvq", user: "qzxvq", role: "user", rooms: [room] };
  const { id: token } = the(201, await admin.post("/tokens", words));
  the(201, await admin.put(`/specs/${room}:specs:QzxvqSpec`, { schema: { description: "qzxvq" } }));
  the(200, await admin.post(`/jobs/${job}/pause`, { note }));
  the(200, await vera.post(`/workers/${worker}/pause`, { note }));
  const drain = the(201, await vera.post("/workers/drain", { label: "zone=qzxvq", at_a_time: 1, note }));
  return [act, token, drain.id];
}

/** What was counted is written now and then. */
async function failuresOf(vera: Caller): Promise<string[]> {
  let items: { readonly fingerprint: string }[] = [];
  await until("both failures are counted", async () => {
    items = the(200, await vera.get(`/failures?room=${room}`)).items;
    return items.length === 2;
  });
  return items.map(({ fingerprint }) => fingerprint);
}

/** Of tasks, those of its own job: a shared one is also for whoever works on that, from every room. */
async function stateOf(admin: Caller, worker: string): Promise<unknown> {
  const paths = [`/rooms/${room}/jobs/${job}/tasks`, `/specs?room=${room}`, "/pauses", `/workers/${worker}/commands`];
  const lists = await Promise.all(paths.map(async (path) => the(200, await admin.get(path)).items));
  const { last_heartbeat, seen_at, ...about } = the(200, await admin.get(`/workers/${worker}`));
  return { lists, about };
}
