// Why a task is not running that somebody could take: workers by whose doors nothing is sent get a task when they ask for
// it, and one whose loop hangs beats on and asks for nothing.

import type { ProfileName } from "./liveness.ts";
import { roughSpan } from "./time-text.ts";

/** A worker that is there and has its hands free asks more often than this. */
export const askWithinMs = 60_000;

/** Whether workers of a profile get what they ask for, and nothing else: no tasks are sent to them, nor messages of any. */
export function takesByAsking(profile: ProfileName): boolean {
  return profile === "rest" || profile === "fleet";
}

export interface Asker {
  readonly held: number;
  /** For how long it has not asked for work; null where it need not, or may have asked another server. */
  readonly unaskedMs: number | null;
}

/** To be put behind those that could take it; null where any of them may have asked lately. */
export function unasked(able: readonly Asker[]): string | null {
  const quietMs = Math.min(...able.map(({ unaskedMs }) => unaskedMs ?? 0));
  if (able.length === 0 || quietMs < askWithinMs) return null;
  const one = able.length === 1;
  const quiet = `could take it, and ${one ? "has" : "have"} not asked for work for ${roughSpan(quietMs)}`;
  const held = able.reduce((sum, worker) => sum + worker.held, 0);
  if (held === 0) return quiet;
  return `${quiet}; ${one ? "it holds" : "they hold"} ${held === 1 ? "1 task" : `${held} tasks`}`;
}
