// The end of a worker in good order: handlers end or are asked to, what does not end goes back, and the server is told.

import type { SteadyApi, SteadyAsk } from "../steady-api.ts";
import type { Attempt } from "./attempt.ts";
import { type ClaimedTask, proofOf } from "./claimed-task.ts";
import { aborted, within } from "./cut-short.ts";
import type { Hands } from "./hands.ts";
import type { WorkerLog } from "./options.ts";
import type { Strays } from "./strays.ts";

export interface FarewellParts {
  readonly api: SteadyApi;
  readonly hands: Hands;
  readonly strays: Strays;
  readonly log: WorkerLog;
  /** Resolves when no beat is under way. */
  stopBeating(): Promise<void>;
  /** Tells the server that the worker ends. */
  signOff(worker: string, how: Pick<SteadyAsk, "signal" | "tries">): Promise<unknown>;
  /** By a release where absent. */
  readonly letGo?: ((task: ClaimedTask, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** A handler did not end in time; told once of each task. */
  readonly onHandedBack?: (task: ClaimedTask) => void;
}

/** Time for handlers that were asked to stop to do so, before their tasks go back without them. */
const graceMs = 1_000;
/** A server that is away at the end finds out by the silence. */
const tries = 3;
/** One that takes requests and answers none is not waited for either. */
const goodbyeMs = 5_000;
/** And leaves time to give back what it was not told of. */
const toldMs = 3_000;

/** Resolves when nothing is in hand any more. Handlers have until `hurry` aborts. */
export async function drain(parts: FarewellParts, hurry: AbortSignal): Promise<void> {
  const { hands, log } = parts;
  const empty = hands.empty();
  await Promise.race([empty, aborted(hurry)]);
  const back = new Set<string>();
  const goesBack = (task: ClaimedTask): void => {
    if (!back.has(task.id)) parts.onHandedBack?.(task);
    back.add(task.id);
  };
  for (const { task, done } of hands.held()) {
    done.then(({ isCutOff }) => isCutOff && goesBack(task)).catch(() => {});
  }
  hands.abortAll("draining");
  await within(graceMs, empty).catch(() => {});
  const signal = AbortSignal.timeout(goodbyeMs);
  await Promise.all(
    hands.held().map(async (held) => {
      const { task } = held;
      // What it did is done: only a server that hears of it in no time at all lets somebody else do it again.
      if (held.isHandled() && (await isTold(held))) return;
      log.warn("a handler did not stop in time; its task goes back", { task: task.id });
      goesBack(task);
      // Handlers that do not listen keep running, but their tasks are for others now.
      held.abort("lost");
      await letGo(parts, held, signal);
    }),
  );
}

/** Whether the server hears of its end while there is still time to give it back. */
function isTold({ done }: Attempt): Promise<boolean> {
  return within(toldMs, done).then(
    () => true,
    () => false,
  );
}

export async function goodbye(parts: FarewellParts, worker: string): Promise<void> {
  const how = { tries, signal: AbortSignal.timeout(goodbyeMs) };
  // A claim that was cut off may have taken something on the way.
  await quietly(parts, () => parts.strays.giveBack(worker, how));
  // A beat that comes after the goodbye would bring the worker back.
  await parts.stopBeating();
  await quietly(parts, () => parts.signOff(worker, how));
}

function letGo(parts: FarewellParts, { task, giveBack }: Attempt, signal: AbortSignal): Promise<void> {
  if (giveBack !== undefined) return quietly(parts, () => giveBack(signal));
  const how = { body: proofOf(task), tries, signal };
  if (parts.letGo !== undefined) return quietly(parts, async () => parts.letGo?.(task, signal));
  return quietly(parts, () => parts.api.request("POST", `/tasks/${task.id}/release`, how));
}

async function quietly({ log }: FarewellParts, act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => log.debug("not said at the end", { why: String(error) }));
}
