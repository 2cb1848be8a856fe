// A worker that was lost, or left, is no part of the fleet any more. A tile that only vanished would tell nobody: whoever
// looked when it happened sees it turn, and go a while later.

import type { Worker } from "./worker.ts";

export type ShownWorker = Worker & {
  /** When it was first missed here, in ms. */
  readonly goneAt?: number;
};

const shownForMs = 120_000;

export function isGone({ state }: Pick<Worker, "state">): boolean {
  return state === "DELETED";
}

/** Those who are there, and those of a moment ago who are not. */
export function withGone(
  there: readonly Worker[],
  before: readonly ShownWorker[],
  now: number,
): readonly ShownWorker[] {
  const ids = new Set(there.map(({ id }) => id));
  const gone = before
    .filter(({ id, goneAt = now }) => !ids.has(id) && now - goneAt < shownForMs)
    .map((worker) => ({ ...asGone(worker), goneAt: worker.goneAt ?? now }));
  return [...there, ...gone];
}

function asGone(worker: Worker): Worker {
  return { ...worker, state: "DELETED", held: 0, paused: false, draining: false, deaf: false, blocked_ms: null };
}
