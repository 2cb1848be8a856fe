// How workers stand: what is true of one, in one word each, and how many there are of each.

import type { Tone } from "../../parts/tone.ts";
import type { Worker } from "./worker.ts";

export const marks = ["paused", "draining", "deaf", "blocked"] as const;
export type Mark = (typeof marks)[number];

export const standings = ["online", "unreachable", "offline", ...marks] as const;
export type Standing = (typeof standings)[number];

/** Of those that are kept for their history alone; they are asked for apart. */
export const goneState = "deleted";

export function marksOf(worker: Worker): readonly Mark[] {
  const { paused, draining, deaf } = worker;
  const said = { paused, draining, deaf, blocked: (worker.blocked_ms ?? 0) > 0 };
  return marks.filter((mark) => said[mark]);
}

/** The colour of its dot: of all that is true of it, the gravest. */
export function toneOf(worker: Worker): Tone {
  const said = [worker.state.toLowerCase(), ...marksOf(worker)];
  const gravest = tones.find(([, words]) => words.some((word) => said.includes(word)));
  return gravest?.[0] ?? "pending";
}

const tones: readonly (readonly [Tone, readonly string[]])[] = [
  ["failed", ["offline", "deleted", "deaf"]],
  ["warning", ["unreachable", "paused", "blocked"]],
  ["running", ["draining"]],
  ["completed", ["online"]],
];

export function stands(worker: Worker, standing: string): boolean {
  return worker.state.toLowerCase() === standing || marksOf(worker).some((mark) => mark === standing);
}

export function countStandings(workers: readonly Worker[]): Readonly<Record<Standing, number>> {
  const counts = Object.fromEntries(standings.map((standing) => [standing, 0])) as Record<Standing, number>;
  for (const worker of workers) {
    const state = worker.state.toLowerCase();
    if (state in counts) counts[state as Standing] += 1;
    for (const mark of marksOf(worker)) counts[mark] += 1;
  }
  return counts;
}

/** How many tasks it may hold; null where neither it nor an operator says. */
export function slotsOf({ capacity, concurrency_limit: limit }: Worker): number | null {
  if (capacity === null || limit === null) return capacity ?? limit;
  return Math.min(capacity, limit);
}

export interface Usage {
  readonly held: number;
  readonly slots: number;
}

/** Of those that are not given up, as the Pulse counts them. */
export function usageOf(workers: readonly Worker[]): Usage {
  let held = 0;
  let slots = 0;
  for (const worker of workers) {
    if (worker.state === "OFFLINE" || worker.state === "DELETED") continue;
    held += worker.held;
    slots += slotsOf(worker) ?? 0;
  }
  return { held, slots };
}
