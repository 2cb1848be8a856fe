// What the actors of a load over HTTP share: whom they call, the jobs they know, and the list of what they were told.

import { setTimeout as pause } from "node:timers/promises";
import { markedPayload } from "../../../src/testing/ledger.ts";
import { type Chance, chance } from "../chance.ts";
import type { Caller, Reply } from "./caller.ts";
import type { Told } from "./told.ts";

export const room = "lab";

/** What becomes of a task whose attempt fails or whose worker is lost differs from job to job. */
const policies = {
  Plain: {},
  Retried: { retry: { maxAttempts: 3, baseMs: 20, capMs: 100 } },
  Requeued: { onWorkerLost: "requeue" },
} as const;

export type JobName = keyof typeof policies;
export const jobNames = Object.keys(policies) as JobName[];
export const fullName = (job: JobName): string => `${room}:modifiers:${job}`;

export interface StageOptions {
  readonly caller: Caller;
  readonly seed: number;
  /** Makes what is submitted here its own. */
  readonly name: string;
  readonly note: (told: Told) => void;
}

export interface Stage extends StageOptions {
  readonly chance: Chance;
  readonly signal: AbortSignal;
  /** Ends every actor after what it is doing. */
  end(): void;
  /** The pace of an actor, not a wait for anything. */
  rest(ms: number): Promise<void>;
  /** A name that no other has. */
  mark(): string;
  /** Tasks someone may want to cancel. */
  readonly recent: string[];
}

export function stage(options: StageOptions): Stage {
  const ending = new AbortController();
  let marks = 0;
  return {
    ...options,
    chance: chance(options.seed),
    signal: ending.signal,
    end: () => ending.abort(),
    rest: (ms) => pause(ms, undefined, { signal: ending.signal }).catch(() => undefined),
    mark: () => `${options.name}-${++marks}`,
    recent: [],
  };
}

/** A new worker for all jobs, which are there from then on; null when the server did not say so. */
export async function hire({ caller }: Pick<Stage, "caller">): Promise<string | null> {
  let worker: string | null = null;
  for (const name of jobNames) {
    const body = { category: "modifiers", name, schema: {}, policy: policies[name], worker_id: worker };
    const reply = await caller.ask("PUT", `/rooms/${room}/jobs`, { body });
    if (reply === null || reply.status >= 300) return null;
    worker = reply.body.worker_id;
  }
  return worker;
}

export interface Wanted {
  readonly jobs: readonly JobName[];
  /** The name of the call: used again, it is the same call. */
  readonly call: string;
  /** Whether it may be repeated. */
  readonly keyed?: boolean;
  readonly delaySeconds?: number;
}

/** One call, by the route for one task or the one for many. */
export async function submit(stage: Stage, { jobs, call, keyed = false, delaySeconds }: Wanted): Promise<Reply | null> {
  const payloads = jobs.map((_, nth) => markedPayload({ mark: `${call}/${nth}`, call, of: jobs.length }));
  const delay = delaySeconds === undefined ? "" : `,"delay_seconds":${delaySeconds}`;
  const headers = keyed ? { "idempotency-key": call } : {};
  const [only] = jobs;
  const reply =
    only !== undefined && jobs.length === 1
      ? await stage.caller.ask("POST", `/rooms/${room}/tasks/${fullName(only)}`, {
          body: `{"payload":${payloads[0]}${delay}}`,
          headers,
        })
      : await stage.caller.ask("POST", `/rooms/${room}/tasks`, {
          body: `{"tasks":[${jobs.map((job, nth) => `{"job":"${fullName(job)}","payload":${payloads[nth]}${delay}}`).join(",")}]}`,
          headers,
        });
  if (reply === null) return null;
  if (reply.status !== 202) {
    if (reply.status < 500) for (const payload of payloads) stage.note({ what: "refused", payload });
    return reply;
  }
  const ids = idsOf(reply);
  ids.forEach((id, nth) => {
    stage.note({ what: "accepted", id, payload: payloads[nth] as string });
  });
  stage.recent.push(...ids);
  if (stage.recent.length > recentMax) stage.recent.splice(0, stage.recent.length - recentMax);
  return reply;
}

const recentMax = 200;

export function idsOf({ body }: Reply): string[] {
  return (body.items ?? [body]).map(({ id }: { id: string }) => id);
}
