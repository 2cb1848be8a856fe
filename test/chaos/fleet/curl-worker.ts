// A worker as somebody writes it who knows nothing but requests: claims, starts, beats and settles over REST.

import { setTimeout as pause } from "node:timers/promises";
import { type PatientAsk, patientCaller } from "./patient-caller.ts";
import { type Deed, type JobName, jobs, type Orders, perform, retry, room, say, schema } from "./words.ts";

const beatMs = 1_000;
const served: readonly JobName[] = ["mixed", "night", "parent"];
const policy = { onWorkerLost: "requeue", retry };

interface Task {
  readonly id: string;
  readonly attempt: number;
  readonly lease_token: string;
  readonly payload: Deed;
}

export async function curlWorker({ url, token, concurrency = 2 }: Orders): Promise<never> {
  const ask = patientCaller(url, token);
  for (;;) await live(ask, concurrency);
}

/** Until it is given up. */
async function live(ask: PatientAsk, concurrency: number): Promise<void> {
  let worker: string | undefined;
  for (const name of served) {
    const [, category, short] = jobs[name].split(":");
    const body = { category, name: short, schema, policy, worker_id: worker ?? null };
    const reply = await ask("PUT", `/rooms/${room}/jobs`, { body });
    // Given up between two jobs.
    if (reply.status === 404) return;
    worker = reply.body.worker_id;
  }
  const id = worker as string;
  const given = new AbortController();
  say({ ready: id });
  await Promise.all([beat(ask, id, given), ...Array.from({ length: concurrency }, () => claim(ask, id, given.signal))]);
}

async function beat(ask: PatientAsk, worker: string, given: AbortController): Promise<void> {
  while (!given.signal.aborted) {
    const { status } = await ask("PATCH", `/workers/${worker}`, {});
    if (status === 404) given.abort();
    else await pause(beatMs);
  }
}

let claims = 0;

async function claim(ask: PatientAsk, worker: string, given: AbortSignal): Promise<void> {
  while (!given.aborted) {
    claims += 1;
    const headers = { prefer: "wait=2", "idempotency-key": `${worker}-${claims}` };
    const { status, body } = await ask("POST", "/tasks/claim", { body: { worker_id: worker }, headers });
    if (status === 200 && body.task !== null) await work(ask, body.task);
  }
}

async function work(ask: PatientAsk, { id, attempt, lease_token, payload }: Task): Promise<void> {
  const proof = { attempt, lease_token };
  const settle = (words: object) => ask("PATCH", `/tasks/${id}`, { body: { ...words, ...proof } });
  const { status } = await settle({ status: "running" });
  // Refused a second time where the first was done and its answer lost: then it is running, and is ours.
  if (status !== 200 && !(await isOurs(ask, id, attempt))) return;
  say({ began: id, attempt });
  try {
    await perform(payload, attempt);
  } catch (error) {
    await settle({ status: "failed", error: String(error) });
    return;
  }
  if (payload.children === undefined) await settle({ status: "completed", result: { of: id } });
  else await haveChildren(ask, { id, attempt, lease_token, payload });
}

async function isOurs(ask: PatientAsk, id: string, attempt: number): Promise<boolean> {
  const { status, body } = await ask("GET", `/tasks/${id}`);
  return status === 200 && body.status === "running" && body.attempt === attempt;
}

/** Each attempt has children of its own; those of one that was lost end as well. */
async function haveChildren(ask: PatientAsk, { id, attempt, lease_token, payload }: Task): Promise<void> {
  const [call, of] = [`${id}-${attempt}`, payload.children ?? 0];
  const tasks = Array.from({ length: of }, (_, nth) => ({
    ...{ job: jobs.mixed, parent_id: id, payload: { mark: `${call}/${nth}`, call, of } },
  }));
  const made = await ask("POST", `/rooms/${room}/tasks`, { body: { tasks }, headers: { "idempotency-key": call } });
  if (made.status === 202) await ask("POST", `/tasks/${id}/defer`, { body: { total: of, attempt, lease_token } });
}
