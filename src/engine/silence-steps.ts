// What a sweep makes of silence: workers that cannot be heard are told of, and in the end lost.

import { isLost, windowsOf } from "../core/liveness.ts";
import type { WorkerRecord } from "../ports/records.ts";
import { rowsMax } from "../ports/store.ts";
import type { Hearing } from "./hearing.ts";
import { inSlices } from "./in-slices.ts";
import type { Losing } from "./losing.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ToldStates } from "./told-states.ts";

export interface SilenceParts {
  readonly losing: Losing;
  readonly hearing: Hearing;
  readonly toldStates: ToldStates;
}

/** Workers looked at in one go. */
const slice = 100;

/** Before anyone is lost: whoever is must have been unreachable. */
export async function tellStates({ store, settings }: Surroundings, parts: SilenceParts, now: number): Promise<number> {
  // Silence counts only since we have been able to hear; who is to be judged so is left to the query, as with the lost.
  const judged = Object.values(settings.profiles).filter(({ unreachableMs }) => unreachableMs !== null);
  const heardMs = now - parts.hearing.since(now, Math.min(...judged.map(({ lostMs }) => lostMs)));
  return inSlices(
    pastOthers(async (limit) => {
      const ids = await store.find("untold", { now, heardMs, limit });
      return { found: ids.length, moved: await parts.toldStates.tell(ids) };
    }),
    slice,
  );
}

/** After a time in which we did not listen, those who may not be judged yet must not hide the others. */
function pastOthers(look: (limit: number) => Promise<{ readonly found: number; readonly moved: number }>) {
  return async () => {
    const some = await look(slice);
    return some.found === slice && some.moved === 0 ? look(rowsMax) : some;
  };
}

/**
 * Those who may not be judged yet are left out by the query, or a slice full of them would hide all others. Since when we
 * have been able to hear them depends on their windows, so it is asked for each that differs in that.
 */
export async function loseWorkers(around: Surroundings, parts: SilenceParts, now: number): Promise<number> {
  const since = windowsOf(around.settings.profiles).map((windowMs) => parts.hearing.since(now, windowMs));
  let lost = 0;
  for (const each of new Set(since)) lost += await loseHeard(around, parts, { now, heardMs: now - each });
  return lost;
}

async function loseHeard(
  { store }: Surroundings,
  { hearing, losing }: SilenceParts,
  { now, heardMs }: { readonly now: number; readonly heardMs: number },
): Promise<number> {
  const still = (worker: WorkerRecord, at: number): boolean => isLost(hearing.fair(worker.session, at), at);
  const lose = async (limit: number) => {
    const ids = await store.find("lost", { now, heardMs, limit });
    const silent = (await store.read("workers", { ids })).filter((worker) => still(worker, now));
    const lost = await Promise.allSettled(silent.map((worker) => losing.lose(worker, still)));
    const failed = lost.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const gone = lost.filter((each) => each.status === "fulfilled" && each.value);
    return { found: ids.length, moved: gone.length };
  };
  return inSlices(pastOthers(lose), slice);
}
