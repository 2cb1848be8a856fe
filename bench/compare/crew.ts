// Workers in processes of their own. All of them have loaded their code before the first one begins.

import { type Actor, startActor } from "../live/actor.ts";
import type { Loaded, Ready, WorkerOrder, WorkerWords } from "./work-words.ts";

/** Answers when all of them take tasks. */
export function startCrew(words: WorkerWords, workers: number, profiles: string | null): Promise<Actor[]> {
  return startCrewAt(
    Array.from({ length: workers }, () => words),
    profiles,
  );
}

/** Each is told its own words. */
export async function startCrewAt(words: readonly WorkerWords[], profiles: string | null): Promise<Actor[]> {
  const crew = words.map((each) => startActor("compare/actors/worker", each, profiles));
  for (const worker of crew) await worker.next<Loaded>("loaded");
  for (const worker of crew) worker.tell({ order: "go" } satisfies WorkerOrder);
  for (const worker of crew) await worker.next<Ready>("ready");
  return crew;
}

export async function startWorker(words: WorkerWords, profiles: string | null): Promise<Actor> {
  const [worker] = await startCrew(words, 1, profiles);
  return worker as Actor;
}
