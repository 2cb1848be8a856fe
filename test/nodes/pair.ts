// Two whole servers on one PostgreSQL, in the process of the test, and what is done at one and seen at the other.

import assert from "node:assert/strict";
import { freshDatabase } from "../fresh-database.ts";
import { type Caller, type RestScene, restScene } from "../rest/scene.ts";

/** With so long a pulse nothing but the bus can be prompt. */
export const rarePulse = { "pulse-interval": "6s", "leader-lease": "30s" };

export interface Pair {
  readonly here: RestScene;
  readonly there: RestScene;
  readonly database: string;
}

type Flags = Readonly<Record<string, string>>;

export async function pair(flags: Flags = {}, hereAlone: (database: string) => Promise<Flags> = async () => ({})) {
  const database = await freshDatabase();
  const here = await restScene({ ...flags, "database-url": database, ...(await hereAlone(database)) });
  const there = await restScene({ ...flags, "database-url": database, data: here.data });
  return { here, there, database } satisfies Pair;
}

const promptMs = 3_000;
const roundsMax = 5;

/**
 * What one server has begun to listen to the other hears of a moment later, so the first word may be lost: one of a few
 * rounds has to be prompt. Each is told its number.
 */
export async function promptly(what: string, round: (number: number) => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let number = 1; number <= roundsMax; number += 1) {
    const before = performance.now();
    await round(number);
    took.push(Math.round(performance.now() - before));
    if ((took.at(-1) as number) < promptMs) return;
  }
  assert.fail(`${what} was never prompt: ${took.join(", ")} ms`);
}

export async function registerJob(admin: Caller, name: string): Promise<{ job: string; worker: string; path: string }> {
  const { status, body, text } = await admin.put("/rooms/lab/jobs", { category: "modifiers", name });
  assert.ok(status === 200 || status === 201, text);
  const job = `lab:modifiers:${name}`;
  return { job, worker: body.worker_id, path: `/rooms/lab/tasks/${job}` };
}

export async function submitted(admin: Caller, path: string, payload: unknown = {}): Promise<string> {
  const { status, body, text } = await admin.post(path, { payload });
  assert.equal(status, 202, text);
  return body.id;
}

/** Waits for a task, at most so long. */
export async function claimed(admin: Caller, worker: string, waitSeconds: number) {
  const { body } = await admin.post("/tasks/claim", { worker_id: worker }, { prefer: `wait=${waitSeconds}` });
  assert.notEqual(body.task, null, "no task came");
  return body.task as { readonly id: string; readonly lease_token: string };
}
