// Where to look for what a query picks. Stores keep tasks in several orders, each from the newest to the oldest: of a lane, of a
// room, of those that failed. A way is a few such paths which together meet every task that is picked.

import { type Condition, isTextRule, type TaskPick } from "./task-pick.ts";
import type { FinalState, Stage } from "./task-row.ts";
import { uuidBefore } from "./uuid7.ts";

export type Path =
  | { readonly along: "lane"; readonly key: number }
  | { readonly along: "room" | "parent" | "retry" | "held" | "ended" | "alike"; readonly key: string }
  | { readonly along: "unhappy"; readonly key: Exclude<FinalState, "completed"> }
  | { readonly along: "pending" | "busy" | "all"; readonly key: "" };

export type Along = Path["along"];

export interface Way {
  readonly paths: readonly Path[];
  /** What is known of every task that is met on it: it need not be checked. */
  readonly known: Condition | null;
}

/** More paths than this at once are no gain. */
const pathsMax = 1_000;

const everything: readonly Path[] = [{ along: "all", key: "" }];
const unhappy: readonly Path[] = [
  { along: "unhappy", key: "failed" },
  { along: "unhappy", key: "cancelled" },
];

/** Every one of them will do; the one that is usually the shortest is the first. Never none. */
export function waysTo({ conditions }: TaskPick): readonly Way[] {
  const ways = conditions.flatMap((condition): readonly Way[] => {
    const paths = condition.not ? null : pathsTo(condition);
    if (paths === null || paths.length > pathsMax) return [];
    return [{ paths, known: isKnownOn(condition) ? condition : null }];
  });
  return ways.length === 0 ? [{ paths: everything, known: null }] : ways.sort((a, b) => rankOf(a) - rankOf(b));
}

/** What is left to check of the tasks that are met on a way, within the stretch of the same pick. */
export function leftToCheck(pick: TaskPick, { known }: Way): TaskPick {
  const isKnown = (condition: Condition): boolean =>
    condition === known ||
    (!condition.not &&
      (condition.kind === "made" || (condition.kind === "prefixes" && condition.prefixes.length === 1)));
  return { ...pick, conditions: pick.conditions.filter((condition) => !isKnown(condition)) };
}

function pathsTo(condition: Condition): readonly Path[] | null {
  switch (condition.kind) {
    case "lanes":
      return condition.lanes.map((key) => ({ along: "lane", key }));
    case "word":
      return [...condition.lanes.map((key): Path => ({ along: "lane", key })), ...unhappy];
    case "rooms":
      return condition.rooms.map((key) => ({ along: "room", key }));
    case "workers":
      return condition.workers.flatMap((key): readonly Path[] => [
        { along: "held", key },
        { along: "ended", key },
      ]);
    case "parents":
      return condition.ids.map((key) => ({ along: "parent", key }));
    case "retries":
      return condition.ids.map((key) => ({ along: "retry", key }));
    case "stages":
      return pathsToStages(condition.stages);
    case "error":
    case "codes":
      return unhappy;
    case "fingerprints":
      return condition.fingerprints.map((key) => ({ along: "alike", key }));
    default:
      return null;
  }
}

const pendingStages: readonly Stage[] = ["ready", "delayed"];
const busyStages: readonly Stage[] = ["claimed", "running", "deferred"];

/** Whether paths to it meet nothing else. */
function isKnownOn(condition: Condition): boolean {
  if (isTextRule(condition)) return false;
  if (condition.kind !== "stages") return true;
  const has = (stage: Stage): boolean => condition.stages.includes(stage);
  return [pendingStages, busyStages].every((some) => some.every(has) || !some.some(has));
}

function pathsToStages(stages: readonly Stage[]): readonly Path[] | null {
  if (stages.includes("completed")) return null;
  const has = (stage: Stage): boolean => stages.includes(stage);
  return [
    ...unhappy.filter(({ key }) => has(key as Stage)),
    ...(pendingStages.some(has) ? [{ along: "pending", key: "" } as const] : []),
    ...(busyStages.some(has) ? [{ along: "busy", key: "" } as const] : []),
  ];
}

const usual = [
  "retry",
  "parent",
  "busy",
  "held",
  "alike",
  "ended",
  "unhappy",
  "pending",
  "lane",
  "room",
  "all",
] as const;

function rankOf({ paths }: Way): number {
  return Math.max(-1, ...paths.map(({ along }) => usual.indexOf(along)));
}

const [least, greatest] = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"];

/** Ids between which all that is picked lies, both included. One bound on each side: an index is entered at one place. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
}

/** `before` is where an earlier look ended. */
export function stretchOf({ conditions }: TaskPick, before: string | null): Stretch {
  const stretches = conditions.filter(({ not }) => !not).map(stretchWithin);
  return {
    from: last([least, ...stretches.map(({ from }) => from)]),
    to: first([before === null ? greatest : uuidBefore(before), ...stretches.map(({ to }) => to)]),
  };
}

function stretchWithin(condition: Condition): Stretch {
  if (condition.kind === "made") {
    return { from: condition.from ?? least, to: condition.below === null ? greatest : uuidBefore(condition.below) };
  }
  if (condition.kind !== "prefixes") return { from: least, to: greatest };
  const filled = (rest: string): string[] => condition.prefixes.map((prefix) => prefix + rest.slice(prefix.length));
  return { from: first(filled(least)), to: last(filled(greatest)) };
}

function first(ids: readonly string[]): string {
  return [...ids].sort()[0] as string;
}

function last(ids: readonly string[]): string {
  return [...ids].sort().at(-1) as string;
}

/** What was met on a way. */
export interface Stroll {
  readonly way: Way;
  /** Newest first, each once. */
  readonly ids: readonly string[];
  /** Whether there is nothing further on. */
  readonly isEnd: boolean;
}

/** How many ids of each path to read, where about so many are wanted in all. */
export function eachOf({ paths }: Way, rows: number): number {
  return paths.length <= 1 ? rows : Math.max(20, Math.ceil((2 * rows) / paths.length));
}

/**
 * What paths met of which `each` ids were read. Of one that goes on, nothing is known beyond its last id: what others have
 * beyond it must wait for the next look.
 */
export function strollOf(way: Way, met: readonly (readonly string[])[], each: number): Stroll {
  const ends = met.map((ids) => (ids.length < each ? "" : (ids.at(-1) ?? "")));
  const cut = last(["", ...ends]);
  const ids = met.length === 1 ? (met[0] as readonly string[]) : [...new Set(met.flat())].sort().reverse();
  return { way, ids: cut === "" ? ids : ids.filter((id) => id >= cut), isEnd: cut === "" };
}
