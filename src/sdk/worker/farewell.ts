// The end of a worker in good order: handlers end or are asked to, what does not end goes back, and the server is told.

import { setTimeout as pause } from "node:timers/promises";
import type { SteadyApi } from "../steady-api.ts";
import type { ClaimedTask } from "./claimed-task.ts";
import type { Hands } from "./hands.ts";
import type { WorkerLog } from "./options.ts";
import type { Strays } from "./strays.ts";

export interface FarewellParts {
  readonly api: SteadyApi;
  readonly hands: Hands;
  readonly strays: Strays;
  readonly log: WorkerLog;
}

/** Time for handlers that were asked to stop to do so, before their tasks go back without them. */
const graceMs = 1_000;
/** A server that is away at the end finds out by the silence. */
const tries = 3;

/** Resolves when nothing is in hand any more. Handlers have until `hurry` aborts. */
export async function drain(parts: FarewellParts, hurry: AbortSignal): Promise<void> {
  const { hands, log } = parts;
  const empty = hands.empty();
  await Promise.race([empty, aborted(hurry)]);
  hands.abortAll("draining");
  const over = new AbortController();
  await Promise.race([empty, pause(graceMs, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
  // Handlers that do not listen keep running, but their tasks are for others now.
  await Promise.all(
    hands.held().map(({ task }) => {
      log.warn("a handler did not stop in time; its task goes back", { task: task.id });
      return letGo(parts, task);
    }),
  );
}

export async function goodbye(parts: FarewellParts, worker: string): Promise<void> {
  // A claim that was cut off may have taken something on the way.
  await quietly(parts, () => parts.strays.giveBack(worker, { tries }));
  await quietly(parts, () => parts.api.request("DELETE", `/workers/${worker}`, { tries }));
}

function letGo(parts: FarewellParts, { id, lease_token }: ClaimedTask): Promise<void> {
  return quietly(parts, () => parts.api.request("POST", `/tasks/${id}/release`, { body: { lease_token }, tries }));
}

async function quietly({ log }: FarewellParts, act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => log.debug("not said at the end", { why: String(error) }));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
