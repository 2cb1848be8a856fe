// Hostile words in every place where a stranger may leave some: tasks, errors, results, logs, progress, jobs and their
// schemas, rooms, workers, alerts, providers, and the notes of those who act.

import type { Caller } from "./caller.ts";
import { asName, type HostileText, hostilePayloads, hostileTextNames, hostileTexts, hugeText } from "./hostile.ts";
import type { UiScene } from "./scene.ts";

export interface Traps {
  readonly room: string;
  /** By the name of the text that it has for a name, a label, an alert and the note of its pause. */
  readonly workers: Readonly<Record<HostileText, string>>;
  /** Full names, by the name of the text in each and in its schema; each has a task that waits. */
  readonly jobs: Readonly<Record<HostileText, string>>;
  /** As long as a name may be. */
  readonly longestJob: string;
  /** Failed tasks, by the name of the text in error, logs and progress. */
  readonly failed: Readonly<Record<HostileText, string>>;
  /** Completed tasks, by the name of the payload that each has for its input and result. */
  readonly completed: Readonly<Record<string, string>>;
  /** Failed with 1 MB of words. */
  readonly hugeError: string;
}

/** Of the job that runs everything; it has no schema. */
export const trapJob = "@global:modifiers:Trap";

/** What is open afterwards stays open: nobody works on it. */
export async function layTraps(scene: UiScene): Promise<Traps> {
  const [user, admin] = [scene.as("user"), scene.as("admin")];
  const room = asName(hostileTexts.image).replaceAll(/[@:]/g, "");
  const workers = await each(hostileTextNames, (name) => hostileWorker(user, admin, name));
  const { worker_id: worker } = await admin.ask("PUT", "/rooms/@global/jobs", { category: "modifiers", name: "Trap" });
  const jobs = await each(hostileTextNames, (name) => hostileJob(user, admin, room, name));
  const longestJob = await registered(user, room, "L".repeat(255 - Buffer.byteLength(`${room}:analysis:`)), {});
  const hands = { caller: admin, worker, room };
  const failed = await each(hostileTextNames, (name) => failedTask(hands, hostileTexts[name]));
  const completed = await each(Object.keys(hostilePayloads), (name) =>
    completedTask(hands, hostilePayloads[name] ?? {}),
  );
  const hugeError = await failedTask(hands, hugeText);
  await scene.token("--user", hostileTexts.image, "--name", hostileTexts.script);
  return { room, workers, jobs, longestJob, failed, completed, hugeError };
}

async function hostileWorker(owner: Caller, admin: Caller, name: HostileText): Promise<string> {
  const text = hostileTexts[name];
  const word = asName(text);
  const about = { name: word, hostname: word, os: word, version: word, labels: { [word]: word, site: word } };
  const { id } = await owner.ask("POST", "/workers", { ...about, concurrency: 2 });
  const alert = { severity: "warning", code: word, message: asName(text, 4_000) };
  await owner.ask("POST", `/workers/${id}/alerts`, alert);
  await admin.ask("POST", `/workers/${id}/pause`, { note: asName(text, 900) });
  return id;
}

async function hostileJob(owner: Caller, admin: Caller, room: string, name: HostileText): Promise<string> {
  const text = hostileTexts[name];
  const field = { type: "string", title: text, description: text, default: text, examples: [text] };
  const properties = { [text]: field, choice: { enum: [text, "other"], title: text }, plain: field };
  const schema = { type: "object", title: text, description: text, $comment: text, properties };
  const job = await registered(owner, room, asName(text, 120), schema);
  const provider = { category: "files", name: asName(text, 120), schema };
  await owner.ask("PUT", `/rooms/${encodeURIComponent(room)}/providers`, provider);
  await owner.ask("POST", `/rooms/${encodeURIComponent(room)}/tasks/${encodeURIComponent(job)}`, {
    payload: { [text]: text, choice: text },
    queue: asName(text),
  });
  await admin.ask("POST", `/jobs/${encodeURIComponent(job)}/pause`, { note: asName(text, 900) });
  return job;
}

async function registered(owner: Caller, room: string, name: string, schema: object): Promise<string> {
  const body = { category: "analysis", name, schema };
  return (await owner.ask("PUT", `/rooms/${encodeURIComponent(room)}/jobs`, body)).full_name;
}

interface Hands {
  readonly caller: Caller;
  readonly worker: string;
  readonly room: string;
}

/** Error, code, details, progress and logs are all of this text, as far as each may be long. */
async function failedTask(hands: Hands, text: string): Promise<string> {
  const { id, lease_token } = await startedTask(hands, { text: asName(text, 4_000) });
  const message = asName(text, 4_000);
  const { caller } = hands;
  await caller.ask("POST", `/tasks/${id}/progress`, { current: 1, total: 3, message, lease_token });
  const fields = { [asName(text)]: message };
  const levels = ["debug", "info", "warn", "error"];
  const lines = [...levels.map((level) => ({ level, message })), { event: "trap.sprung", message, fields }];
  await caller.ask("POST", `/tasks/${id}/logs`, { lines, lease_token });
  const error = { error: text, error_code: asName(text), error_details: { [message]: message }, retryable: false };
  await caller.ask("PATCH", `/tasks/${id}`, { status: "failed", ...error, lease_token });
  return id;
}

async function completedTask(hands: Hands, payload: object): Promise<string> {
  const { id, lease_token } = await startedTask(hands, payload);
  await hands.caller.ask("PATCH", `/tasks/${id}`, { status: "completed", result: payload, lease_token });
  return id;
}

async function startedTask({ caller, worker, room }: Hands, payload: object) {
  const path = `/rooms/${encodeURIComponent(room)}/tasks/${encodeURIComponent(trapJob)}`;
  const { id } = await caller.ask("POST", path, { payload });
  const { tasks } = await caller.ask("POST", "/tasks/claim", { worker_id: worker, task_ids: [id], start: true });
  return { id: id as string, lease_token: tasks[0].lease_token as string };
}

/** One after another: the order in lists is the order here. */
async function each<K extends string>(names: readonly K[], make: (name: K) => Promise<string>) {
  const made = {} as Record<K, string>;
  for (const name of names) made[name] = await make(name);
  return made;
}
