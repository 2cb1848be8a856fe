// Actors that do the work, in every way a worker may: well, badly, halfway, and not at all.

import { defaultQueue } from "../../src/core/lane.ts";
import type { Holder } from "../../src/core/lease.ts";
import type { ProfileName } from "../../src/core/liveness.ts";
import { Problem } from "../../src/core/problem.ts";
import type { Move } from "../../src/core/task.ts";
import type { ClaimedTask } from "../../src/ports/records.ts";
import { allJobs, type Scene } from "./scene.ts";

export interface Crew {
  /** Works until the scene ends. */
  worker(profile: ProfileName): Promise<void>;
  /** Beats for everyone who is still there. */
  heart(): Promise<void>;
  isOurs(worker: string): boolean;
}

const beatMs = 200;
const claimWaitMs = 100;

export function crew(scene: Scene): Crew {
  const { engine, calls, chance, signal } = scene;
  const beating = new Set<string>();
  const hired = new Set<string>();

  async function register(profile: ProfileName): Promise<string | null> {
    const jobs = new Map(allJobs.map((job) => [job, null]));
    // Claims from lanes without a limit take another way than those from lanes with one.
    const queues = chance.happens(0.5) ? [defaultQueue] : null;
    const answer = await calls.ask(() => engine.workers.register({ profile, owner: scene.name, jobs, queues }));
    if (answer instanceof Problem) return null;
    hired.add(answer.id);
    beating.add(answer.id);
    return answer.id;
  }

  async function worker(profile: ProfileName): Promise<void> {
    let id: string | null = null;
    while (!signal.aborted) {
      id ??= await register(profile);
      if (id === null) continue;
      const assign = profile === "rest" ? false : chance.happens(0.8);
      const limit = chance.between(1, 4);
      const tasks = await calls.claim({ worker: id, limit, assign, waitMs: claimWaitMs, signal });
      if (tasks instanceof Problem) {
        // Given up, or not known any more: a worker that hears this registers again.
        if (tasks.code === "worker-not-found") id = null;
        continue;
      }
      const holder = id;
      if (tasks.length > 0 && chance.happens(0.03)) {
        // Falls silent with what it holds.
        beating.delete(holder);
        id = null;
        continue;
      }
      await Promise.all(tasks.map((task) => serve(scene, task, { worker: holder, attempt: task.row.attempt })));
    }
  }

  async function heart(): Promise<void> {
    while (!signal.aborted) {
      for (const id of beating) {
        const answer = await calls.ask(() => engine.beat(id));
        if (answer instanceof Problem && !answer.retry) beating.delete(id);
      }
      await scene.rest(beatMs);
    }
  }

  return { worker, heart, isOurs: (id) => hired.has(id) };
}

async function serve(scene: Scene, task: ClaimedTask, holder: Holder): Promise<void> {
  const { calls, chance, engine } = scene;
  const { id } = task.card;
  if (task.row.state === "claimed") {
    if (chance.happens(0.1)) return void (await calls.settle(id, holder, giveBack(scene)));
    const started = await calls.settle(id, holder, { type: "start" });
    if (started instanceof Problem || started.row.state !== "running") return;
  }
  const { children } = JSON.parse(task.payload) as { children?: number };
  if (children !== undefined && task.row.attempt === 1) return haveChildren(scene, task, holder, children);
  if (chance.happens(0.2)) {
    const progress = { current: chance.below(10), total: 10, message: null };
    await calls.ask(() => engine.progress(id, { holder }, progress));
  }
  if (task.row.leasedUntil !== null && chance.happens(0.2)) {
    await calls.ask(() => engine.extend(id, holder, 1_500));
  }
  await calls.settle(id, holder, ending(scene));
}

/** A coordinator: makes its children, then waits for them in nobody's hands. */
async function haveChildren(scene: Scene, task: ClaimedTask, holder: Holder, count: number): Promise<void> {
  const { calls, chance } = scene;
  const { id } = task.card;
  const words = chance.happens(0.2) ? { children: 1 } : {};
  const made = await scene.submit(Array.from({ length: count }, () => ({ parent: id, words })));
  if (made instanceof Problem) await calls.settle(id, holder, giveBack(scene));
  else await calls.settle(id, holder, { type: "defer", total: count });
}

export function completion(scene: Pick<Scene, "mark">): Move {
  return { type: "complete", result: JSON.stringify({ by: scene.mark() }) };
}

/** One of the ways in which an attempt may end. */
export function ending(scene: Scene): Move {
  const { chance } = scene;
  if (chance.happens(0.7)) return completion(scene);
  if (chance.happens(0.5)) return giveBack(scene);
  const error = { message: "No luck", code: "chaos", details: null };
  return { type: "fail", error, retryable: chance.happens(0.7) };
}

function giveBack({ chance }: Scene): Move {
  return { type: "release", reason: "later", ...(chance.happens(0.5) ? { delayMs: chance.between(1, 100) } : {}) };
}
