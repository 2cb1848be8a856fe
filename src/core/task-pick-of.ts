// From the words of a query to what it picks: names become the lanes and workers that have them now.

import { matchesPattern } from "./access.ts";
import type { Lane } from "./lane.ts";
import type { Condition, TaskPick } from "./task-pick.ts";
import type { Term } from "./task-query.ts";
import { uuid7Floor } from "./uuid7.ts";

/** What names may mean. */
export interface Named {
  readonly lanes: () => Iterable<Pick<Lane, "id" | "job" | "queue">>;
  readonly workers: () => Iterable<{ readonly id: string; readonly name: string | null }>;
}

/** Clocks of servers that share a database differ by far less. */
const skewMs = 3_600_000;

export function pickOf(terms: readonly Term[], named: Named, now: number): TaskPick {
  return { now, conditions: terms.flatMap((term) => conditionsOf(term, named, now)) };
}

function conditionsOf(term: Term, named: Named, now: number): readonly Condition[] {
  const { not } = term;
  switch (term.field) {
    case "job":
    case "queue": {
      const { field, patterns } = term;
      const isMeant = (lane: Pick<Lane, "job" | "queue">): boolean =>
        patterns.some((pattern) => matchesPattern(pattern, lane[field]));
      return [{ kind: "lanes", lanes: lanesWhere(named, isMeant), not }];
    }
    case "word": {
      const part = term.text.toLowerCase();
      const lanes = lanesWhere(named, ({ job }) => job.toLowerCase().includes(part));
      return [{ kind: "word", lanes, text: term.text, not }];
    }
    case "state":
      return [{ kind: "stages", stages: term.stages, not }];
    case "room":
      return [{ kind: "rooms", rooms: term.values, not }];
    case "submitter":
      return [{ kind: "submitters", submitters: term.values, not }];
    case "worker":
      return [{ kind: "workers", workers: workersNamed(named, term.values), not }];
    case "parent":
      return [{ kind: "parents", ids: term.ids, not }];
    case "retry_of":
      return [{ kind: "retries", ids: term.ids, not }];
    case "id":
      return [{ kind: "prefixes", prefixes: term.prefixes, not }];
    case "error":
      return [{ kind: "error", text: term.text, not }];
    case "code":
      return [{ kind: "codes", codes: term.values, not }];
    case "fingerprint":
      return [{ kind: "fingerprints", fingerprints: term.values, not }];
    case "input":
    case "output":
      return [{ kind: term.field, path: term.path, value: term.value, not }];
    case "attempt":
    case "losses":
    case "priority":
      return [{ kind: term.field, least: term.least, most: term.most, not }];
    case "ran":
    case "waited":
      return [{ kind: term.field, overMs: term.overMs, underMs: term.underMs, not }];
    case "age":
      return [{ ...madeWithin(term, now), not }];
    case "ended":
      return endedWithin(term, now);
  }
}

interface Ago {
  readonly overMs: number | null;
  readonly underMs: number | null;
}

function madeWithin({ overMs, underMs }: Ago, now: number) {
  return {
    kind: "made",
    from: underMs === null ? null : floorAt(now - underMs + 1),
    below: overMs === null ? null : floorAt(now - overMs),
  } as const;
}

/** What ended long ago was made before: whoever looks for it need not begin with the newest. */
function endedWithin({ overMs, underMs, not }: Ago & { readonly not: boolean }, now: number): readonly Condition[] {
  const after = underMs === null ? null : now - underMs;
  const before = overMs === null ? null : now - overMs;
  const ended: Condition = { kind: "ended", after, before, not };
  if (before === null || not) return [ended];
  return [ended, { kind: "made", from: null, below: floorAt(before + skewMs), not }];
}

function floorAt(at: number): string {
  return uuid7Floor(Math.max(0, at));
}

function lanesWhere({ lanes }: Named, isMeant: (lane: Pick<Lane, "job" | "queue">) => boolean): readonly number[] {
  return [...lanes()].filter(isMeant).map(({ id }) => id);
}

/** Ids are taken as they are: a worker that was removed has no name any more. */
function workersNamed({ workers }: Named, words: readonly string[]): readonly string[] {
  const found = new Set(words.map((word) => word.toLowerCase()));
  for (const { id, name } of workers()) if (name !== null && words.includes(name)) found.add(id);
  return [...found];
}
