// How long a task waits that asked to be tried later: longer each time, as the document has it.

import { documentPatience, waitMs } from "../../core/patience.ts";
import type { SteadyApi } from "../steady-api.ts";

/** `before`: how often it has asked already. */
export function growingDelayMs(
  delayMs: number,
  before: number,
  capMs: number = documentPatience.retryLaterCapMs,
): number {
  return waitMs({ baseMs: delayMs, capMs }, before + 1);
}

interface EventPage {
  readonly items: readonly { readonly type: string; readonly data: { readonly reason?: string } | null }[];
}

const eventsRead = 500;
/** Whoever has more history than that is taken to have asked each time. */
const pagesMax = 20;
const tries = 3;

/** By its history: a return for another reason, as the end of a worker, is none of its doing. */
export async function askedBefore(
  api: SteadyApi,
  { id, attempt }: { readonly id: string; readonly attempt: number },
): Promise<number> {
  // Most tasks never ask, and those that do mostly once.
  if (attempt === 1) return 0;
  try {
    let count = 0;
    for (let page = 0; page < pagesMax; page += 1) {
      const path = `/tasks/${id}/events?limit=${eventsRead}&offset=${page * eventsRead}`;
      const { items } = (await api.request<EventPage>("GET", path, { tries })).body;
      count += items.filter(({ type, data }) => type === "task.released" && data?.reason === "retry_later").length;
      if (items.length < eventsRead) return count;
    }
  } catch {
    // A guess is better than no delay.
  }
  return attempt - 1;
}
