// Picks of tasks as chance makes them, and everything that a store finds by one. How far a single look goes is a store's own
// affair; what all looks together find is not.

import type { Condition, Rule, TaskPick } from "../../../core/task-pick.ts";
import { stages } from "../../../core/task-row.ts";
import type { Store } from "../../../ports/store.ts";
import type { FoundTask, Scanned, TaskScan } from "../../../ports/store-reads.ts";
import { taskId, workerId } from "../../builders.ts";
import { oneOf } from "../../random-moves.ts";

export interface Pickable {
  readonly now: number;
  readonly id: string;
  readonly lanes: readonly number[];
}

/** One to three conditions, of which every third is turned round. */
export function pickFrom(n: number, around: Pickable): TaskPick {
  const conditions = Array.from({ length: 1 + (n % 3) }, (_, nth): Condition => {
    const m = Math.floor(n / (3 + 7 * nth));
    return { ...ruleFrom(m, around), not: m % 3 === 2 };
  });
  return { now: around.now, conditions };
}

function ruleFrom(n: number, { now, id, lanes }: Pickable): Rule {
  const m = Math.floor(n / 21);
  const bound = (value: number) => ({ least: m % 2 === 0 ? value : null, most: m % 3 === 0 ? null : value + 1 });
  const span = (ms: number) => ({ overMs: m % 2 === 0 ? ms : null, underMs: m % 3 === 0 ? null : 3 * ms });
  const rules: readonly Rule[] = [
    { kind: "lanes", lanes },
    { kind: "stages", stages: stages.filter((_, index) => ((m >> index) & 1) === 1) },
    { kind: "stages", stages: [oneOf(stages, m)] },
    { kind: "rooms", rooms: oneOf([["lab"], ["@global", "x"], []], m) },
    { kind: "submitters", submitters: oneOf([["ada"], ["Ada", "b\\ \u0000b"], []], m) },
    { kind: "workers", workers: [workerId(m % 5), workerId(m % 3)] },
    { kind: "parents", ids: [id, taskId(2)] },
    { kind: "retries", ids: [id, taskId(3)] },
    { kind: "prefixes", prefixes: [id.slice(0, 8 + (m % 29)), taskId(m % 9)] },
    { kind: "made", from: m % 2 === 0 ? id : null, below: m % 3 === 0 ? null : taskId(m % 40) },
    { kind: "attempt", ...bound(m % 3) },
    { kind: "losses", ...bound(m % 2) },
    { kind: "priority", ...bound(oneOf([0, 5, -5], m)) },
    { kind: "ended", after: m % 2 === 0 ? now - 40 : null, before: m % 3 === 0 ? null : now - 10 },
    { kind: "ran", ...span(m % 20) },
    { kind: "waited", ...span(m % 20) },
    { kind: "word", lanes: lanes.slice(0, 1), text: oneOf(["O", "lost", "ß", "nothing"], m) },
    { kind: "error", text: oneOf(["WORKER", "o", "é", "\u0000"], m) },
    { kind: "codes", codes: oneOf([["lease_expired"], ["e1", "worker_lost"]], m) },
    { kind: "fingerprints", fingerprints: oneOf([somePrints.slice(0, 1), somePrints, []], m) },
    { kind: oneOf(["input", "output"] as const, m), ...oneOf(places, m >> 1) },
  ];
  return oneOf(rules, n);
}

/** What failures of these picks are known by. */
export const somePrints = ["0123456789abcdef", "f".repeat(16)] as const;

const places = [
  { path: ["n"], value: "1" },
  { path: ["ok"], value: "true" },
  { path: ["a", "b"], value: "x" },
  { path: ["list", "1"], value: "2" },
];

/** All that is picked, by as many looks as it takes. */
export async function scanAll(store: Store, query: Omit<TaskScan, "before">): Promise<readonly FoundTask[]> {
  const found: FoundTask[] = [];
  let before: string | null = null;
  do {
    const slice: Scanned = await store.read("taskScan", { ...query, before });
    found.push(...slice.found);
    before = slice.through;
  } while (before !== null);
  return found;
}
