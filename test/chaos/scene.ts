// What the actors of a load share: the engine they call, the ledger their answers go into, the jobs they know.

import { setTimeout as pause } from "node:timers/promises";
import type { Problem } from "../../src/core/problem.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Place } from "../../src/engine/lanes.ts";
import type { TaskRequest } from "../../src/engine/task-request.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { TaskRecord } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { type Entry, markedPayload } from "../../src/testing/ledger.ts";
import { type RecordedCalls, recordedCalls } from "../../src/testing/recorded-calls.ts";
import { type Chance, chance } from "./chance.ts";

export const plainJob = "@global:modifiers:Plain";
export const retriedJob = "@global:modifiers:Retried";
export const familyJob = "@global:modifiers:Family";
export const allJobs = [plainJob, retriedJob, familyJob] as const;

export const narrowQueue = "narrow";
/** How many tasks of the narrow queue may be in workers' hands at once. */
export const narrowMax = 3;

const policies = {
  [plainJob]: {},
  [retriedJob]: { retry: { maxAttempts: 3, baseMs: 20, capMs: 100 } },
  [familyJob]: {},
} as const;

export interface SceneOptions {
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: Clock;
  readonly seed: number;
  /** Makes what this load submits its own. */
  readonly name: string;
  readonly note: (entry: Entry) => void;
}

export interface Scene extends SceneOptions {
  readonly calls: RecordedCalls;
  readonly chance: Chance;
  readonly signal: AbortSignal;
  /** Ends every actor after what it is doing. */
  end(): void;
  /** The pace of an actor, not a wait for anything: over at once when the scene ends. */
  rest(ms: number): Promise<void>;
  /** A name that no other has. */
  mark(): string;
  /** Submits one call of these tasks; each gets a payload that no other has. */
  submit(tasks: readonly WantedTask[], key?: string): Promise<readonly TaskRecord[] | Problem>;
  /** Tasks someone may want to cancel. */
  readonly recent: string[];
}

export type WantedTask = Partial<TaskRequest> & { readonly words?: Readonly<Record<string, unknown>> };

const recentMax = 200;

export function scene(options: SceneOptions): Scene {
  const calls = recordedCalls(options.engine, options.note);
  const ending = new AbortController();
  const recent: string[] = [];
  let marks = 0;

  function mark(): string {
    marks += 1;
    return `${options.name}-${marks}`;
  }

  async function submit(tasks: readonly WantedTask[], key?: string): Promise<readonly TaskRecord[] | Problem> {
    const call = key ?? mark();
    const requests = tasks.map(({ words, ...request }, index) => ({
      job: plainJob,
      room: "@global",
      payload: markedPayload({ mark: `${call}/${index}`, call, of: tasks.length }, words),
      ...request,
    }));
    const answer = await calls.submit(requests, key);
    if (Array.isArray(answer)) recent.push(...answer.map(({ card }) => card.id));
    if (recent.length > recentMax) recent.splice(0, recent.length - recentMax);
    return answer;
  }

  return {
    ...options,
    calls,
    chance: chance(options.seed),
    signal: ending.signal,
    end: () => ending.abort(),
    rest: (ms) => pause(ms, undefined, { signal: ending.signal }).catch(() => undefined),
    mark,
    submit,
    recent,
  };
}

/** Registers the jobs and makes the narrow lane; does nothing where that was done before. */
export async function prepare(engine: Engine): Promise<void> {
  for (const name of allJobs) {
    const policy = policies[name];
    await engine.jobs.register({ name, schema: {}, policy, source: "explicit", replace: true });
  }
  const [{ lane }] = (await engine.lanes.places([{ job: plainJob, queue: narrowQueue }])) as [Place];
  if (lane.maxRunning !== narrowMax) {
    await engine.lanes.setLimits(lane.id, { paused: false, maxRunning: narrowMax });
  }
}
