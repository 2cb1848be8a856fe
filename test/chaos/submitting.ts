// Actors that ask for work and change their minds.

import { Problem } from "../../src/core/problem.ts";
import type { Place } from "../../src/engine/lanes.ts";
import type { TaskRecord } from "../../src/ports/records.ts";
import { familyJob, narrowMax, narrowQueue, plainJob, retriedJob, type Scene, type WantedTask } from "./scene.ts";

const waitMs = 300;

/** Submitters that often wait for what they asked for keep a load from outgrowing its workers. */
export async function submitter(scene: Scene, patience = 0.8): Promise<void> {
  const { chance, signal, engine, calls } = scene;
  while (!signal.aborted) {
    const tasks = await submitSomething(scene);
    const last = tasks.at(-1);
    if (last !== undefined && chance.happens(patience)) {
      await calls.ask(() => engine.waits.untilFinal(last.card.id, waitMs, signal));
    }
  }
}

async function submitSomething(scene: Scene): Promise<readonly TaskRecord[]> {
  const { chance, clock } = scene;
  const kinds: (() => Promise<readonly TaskRecord[] | Problem>)[] = [
    () => scene.submit([{}]),
    () => scene.submit([{ job: retriedJob, priority: chance.below(3) }]),
    () => scene.submit(several(chance.between(2, 20))),
    () => scene.submit([{ runAt: clock.now() + chance.between(1, 400) }]),
    () => scene.submit([{ queue: narrowQueue }, { queue: narrowQueue }]),
    () => scene.submit([{ job: familyJob, words: { children: chance.between(1, 4) } }]),
    () => submitUnderKey(scene, scene.mark()),
  ];
  const answer = await (chance.oneOf(kinds) as (typeof kinds)[number])();
  return answer instanceof Problem ? [] : answer;
}

/** The same call again gets the first answer again, and makes nothing new. */
export async function submitUnderKey(scene: Scene, key: string): Promise<readonly TaskRecord[] | Problem> {
  const first = await scene.submit([{ words: { key } }], key);
  if (first instanceof Problem || scene.chance.happens(0.5)) return first;
  return scene.submit([{ words: { key } }], key);
}

function several(count: number): WantedTask[] {
  return Array.from({ length: count }, (_, index) => ({ job: index % 3 === 0 ? retriedJob : plainJob }));
}

/** Cancels what was submitted lately, with its children where it has some. */
export async function canceller(scene: Scene, target: () => Promise<string | undefined>): Promise<void> {
  while (!scene.signal.aborted) {
    const id = await target();
    if (id !== undefined) await scene.calls.cancel(id);
    // Rarely enough that most tasks come to an end of their own.
    await scene.rest(scene.chance.between(5, 60));
  }
}

/** Says goodbye for workers of servers that are gone. */
export async function undertaker(scene: Scene, isOurs: (worker: string) => boolean): Promise<void> {
  const { engine, calls, chance } = scene;
  const strangers = [...engine.catalog.workers()].filter(({ id, session }) => !isOurs(id) && session.lostAt === null);
  for (const worker of strangers) {
    if (scene.signal.aborted) return;
    if (chance.happens(0.6)) continue;
    await calls.ask(() => (chance.happens(0.5) ? engine.losing.unregister(worker) : engine.losing.remove(worker)));
  }
}

/** Looks at the narrow lane again and again: it must never be wider than it may. */
export async function auditor(scene: Scene): Promise<void> {
  const { engine, store, calls, signal } = scene;
  const [{ lane }] = (await engine.lanes.places([{ job: plainJob, queue: narrowQueue }])) as [Place];
  while (!signal.aborted) {
    const depths = await calls.ask(() => store.read("depths", {}));
    if (depths instanceof Problem) continue;
    const held = depths.find((depth) => depth.lane === lane.id)?.held ?? 0;
    if (held > narrowMax) throw new Error(`${held} tasks of a lane for ${narrowMax} are in workers' hands`);
    await scene.rest(20);
  }
}
