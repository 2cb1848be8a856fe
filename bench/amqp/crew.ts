// Consumers in processes of their own. All of them have loaded their code before the first one begins.

import type { Loaded, Ready, WorkerOrder } from "../compare/work-words.ts";
import { type Actor, type ActorName, startActor } from "../live/actor.ts";

/** Answers when all of them have begun. */
export async function startCrew(
  file: ActorName,
  words: readonly object[],
  profiles: string | null,
): Promise<readonly Actor[]> {
  const crew = words.map((each, nth) => startActor(file, each, profiles === null ? null : `${profiles}-${nth + 1}`));
  for (const actor of crew) await actor.next<Loaded>("loaded");
  for (const actor of crew) actor.tell({ order: "go" } satisfies WorkerOrder);
  for (const actor of crew) await actor.next<Ready>("ready");
  return crew;
}
