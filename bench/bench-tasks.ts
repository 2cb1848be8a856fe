// Tasks of no substance: a payload of 200 bytes, nothing to do, a small result.

import { defaultProfiles } from "../src/core/liveness.ts";
import { type Move, transition } from "../src/core/task.ts";
import type { NewTask, OpenTask, TaskWrite } from "../src/ports/records.ts";
import type { Store } from "../src/ports/store.ts";
import { checksum, type LaneOf, laneId } from "./bench-catalog.ts";
import type { BenchSurroundings } from "./surroundings.ts";

const payloadBytes = 200;

export function payload(n: number): string {
  const text = `{"n":${n},"text":"`;
  return `${text}${"x".repeat(payloadBytes - text.length - 2)}"}`;
}

export const completion: Move = { type: "complete", result: '{"ok":true}' };

/** Straight into the store, in calls of this many. */
export const bulk = 1_000;

export interface Filling {
  readonly tasks: number;
  /** The job of the n-th task. */
  jobOf(n: number): string;
  readonly delayMs?: number;
}

/** Answers the ids, in order. */
export async function fill(
  store: Store,
  around: BenchSurroundings,
  lanes: LaneOf,
  { tasks, jobOf, delayMs }: Filling,
): Promise<string[]> {
  const ids: string[] = [];
  const underWay = new Set<Promise<unknown>>();
  while (ids.length < tasks) {
    const names = new Set<string>();
    const now = around.clock.now();
    const call: NewTask[] = [];
    for (let left = Math.min(bulk, tasks - ids.length); left > 0; left -= 1) {
      const job = jobOf(ids.length);
      const id = around.ids.next();
      names.add(job);
      ids.push(id);
      call.push(newTask(id, laneId(lanes, job), { n: ids.length, now, runAt: delayMs ? now + delayMs : null }));
    }
    const sent = submitted(store, call, names).finally(() => underWay.delete(sent));
    underWay.add(sent);
    if (underWay.size >= 2) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  return ids;
}

async function submitted(store: Store, tasks: readonly NewTask[], names: ReadonlySet<string>): Promise<void> {
  const jobs = [...names].map((name) => ({ name, revision: 1 }));
  const [answer] = await store.submit([{ tasks, jobs, key: null, outbox: [] }]);
  if (answer?.kind !== "accepted") throw new Error(`The store refused tasks: ${JSON.stringify(answer)}`);
}

interface About {
  readonly n: number;
  readonly now: number;
  readonly runAt: number | null;
}

function newTask(id: string, lane: number, { n, now, runAt }: About): NewTask {
  const card = {
    id,
    lane,
    room: "@global",
    priority: 0,
    policy: {},
    parent: null,
    retryOf: null,
    submitter: null,
    checksum,
    logs: null,
    createdAt: now,
  };
  return { card, payload: payload(n), runAt };
}

/** What the engine would write when its worker says so. */
export function writeOf(task: OpenTask, move: Move, now: number): TaskWrite {
  const around = { now, policy: task.card.policy, profile: defaultProfiles.work, jitter: 0.5 };
  const { next, event, outcome } = transition(task.row, move, around);
  return { expected: task.row.version, next, outcome, events: [event] };
}
