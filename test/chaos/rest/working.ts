// Workers over HTTP: they register, claim, start and settle in every way the door offers, and some fall silent.

import type { EventType } from "../../../src/core/task-event.ts";
import type { Ask } from "./caller.ts";
import { hire, type Stage } from "./stage.ts";

export interface Crew {
  /** Works until the stage ends. */
  worker(): Promise<void>;
  /** Beats for everyone who is still there. */
  heart(): Promise<void>;
}

export interface Claimed {
  readonly id: string;
  readonly attempt: number;
  readonly lease_token: string;
}

const beatMs = 250;

export function crew(stage: Stage): Crew {
  const { caller, chance, signal } = stage;
  const beating = new Set<string>();

  async function worker(): Promise<void> {
    let id: string | null = null;
    while (!signal.aborted) {
      id ??= await hire(stage);
      if (id === null) continue;
      beating.add(id);
      const tasks = await claim(stage, id, { limit: chance.between(1, 5), wait: chance.happens(0.5) });
      if (tasks === "gone") {
        id = null;
      } else if (tasks.length > 0 && chance.happens(0.03)) {
        // Falls silent with what it holds.
        beating.delete(id);
        id = null;
      } else {
        const holder = id;
        await Promise.all(tasks.map((task) => serve(stage, task, holder)));
      }
    }
  }

  async function heart(): Promise<void> {
    while (!signal.aborted) {
      await Promise.all([...beating].map(beat));
      await stage.rest(beatMs);
    }
  }

  async function beat(id: string): Promise<void> {
    const reply = await caller.ask("PATCH", `/workers/${id}`);
    if (reply?.status === 404) beating.delete(id);
  }

  return { worker, heart };
}

export interface ClaimHow {
  readonly limit: number;
  readonly wait: boolean;
}

/** "gone": the server does not know the worker any more. */
export async function claim(stage: Stage, worker: string, { limit, wait }: ClaimHow): Promise<Claimed[] | "gone"> {
  const { caller, chance, note } = stage;
  const body = limit === 1 ? { worker_id: worker } : { worker_id: worker, limit };
  const key = chance.happens(0.2) ? { "idempotency-key": stage.mark() } : {};
  const ask: Ask = { body, headers: { ...(wait && { prefer: "wait=1" }), ...key } };
  let reply = await caller.ask("POST", "/tasks/claim", ask);
  // Whoever gave a name to the claim may ask again what came of it.
  if (reply === null && "idempotency-key" in key) reply = await caller.ask("POST", "/tasks/claim", ask);
  if (reply?.status === 404) return "gone";
  if (reply?.status !== 200) return [];
  const tasks: Claimed[] = reply.body.tasks ?? (reply.body.task === null ? [] : [reply.body.task]);
  for (const { id, attempt } of tasks) note({ what: "done", id, types: ["task.claimed"], attempt, worker });
  return tasks;
}

async function serve(stage: Stage, task: Claimed, worker: string): Promise<void> {
  const { chance, caller } = stage;
  if (chance.happens(0.05)) return;
  if (!(await patch(stage, task, worker, "running"))) return;
  const { id, lease_token } = task;
  if (chance.happens(0.1)) {
    await caller.ask("POST", `/tasks/${id}/progress`, { body: { increment: 1, lease_token } });
  }
  if (chance.happens(0.1)) {
    const reply = await caller.ask("POST", `/tasks/${id}/release`, { body: { lease_token } });
    if (reply?.status === 200) noteDone(stage, task, worker, ["task.released"]);
    return;
  }
  await patch(stage, task, worker, chance.happens(0.7) ? "completed" : chance.happens(0.7) ? "failed" : "cancelled");
}

const events = {
  running: ["task.started"],
  completed: ["task.completed"],
  failed: ["task.failed", "task.retried"],
  cancelled: ["task.cancelled"],
} as const satisfies Record<string, readonly EventType[]>;

/** Answers whether it was acknowledged. */
export async function patch(
  stage: Stage,
  task: Claimed,
  worker: string,
  status: keyof typeof events,
  { headers, ...proof } = proofOf(stage, task),
): Promise<boolean> {
  const { id } = task;
  const result = status === "completed" ? JSON.stringify({ by: stage.mark() }) : undefined;
  const words = { status, ...proof, ...(status === "failed" && { error: "No luck" }) };
  const body = `${JSON.stringify(words).slice(0, -1)}${result === undefined ? "" : `,"result":${result}`}}`;
  const reply = await stage.caller.ask("PATCH", `/tasks/${id}`, { body, headers });
  if (reply?.status === 200) noteDone(stage, task, worker, events[status], result);
  if (reply?.status === 409 && result !== undefined) stage.note({ what: "denied", id, result });
  return reply?.status === 200;
}

function noteDone(stage: Stage, task: Claimed, worker: string, types: readonly EventType[], result?: string): void {
  const { id, attempt } = task;
  stage.note({ what: "done", id, types, attempt, worker, ...(result !== undefined && { result }) });
}

interface ProofWords {
  readonly headers: Record<string, string>;
  readonly lease_token?: string;
  readonly attempt?: number;
}

/** Each of the ways to say whose word it is; the documents' clients say nothing. */
function proofOf({ chance }: Stage, { attempt, lease_token }: Claimed): ProofWords {
  const ways: ProofWords[] = [
    { headers: {}, lease_token },
    { headers: { "leadhand-lease": lease_token } },
    { headers: {}, attempt },
    { headers: {} },
  ];
  return ways[chance.below(ways.length)] as ProofWords;
}
