// Looking for the tasks that a query picks, within a budget: a query that no index answers is given up after so many tasks or so
// much time, and says how far it came. Each look is short, so that others get their turn in between.

import { callerOf, type Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskPick } from "../../core/task-pick.ts";
import { finalStates, openStates, type TaskState } from "../../core/task-row.ts";
import { uuid7Time } from "../../core/uuid7.ts";
import type { TaskRecord } from "../../ports/records.ts";
import { type FoundTask, type Scanned, type TaskScan, totalMax } from "../../ports/store-reads.ts";
import { gate } from "../gate.ts";
import type { Surroundings } from "../surroundings.ts";
import { pageLength } from "./page-length.ts";

export interface SearchQuery {
  readonly limit: number;
  readonly offset: number;
  /** Below this id; null: from the newest on. */
  readonly before: string | null;
  /** Whether payloads, results and details are wanted. */
  readonly payloads: boolean;
}

export interface SearchPage {
  readonly items: readonly TaskRecord[];
  readonly total: number;
  readonly totalExact: boolean;
  /** Where to go on; null where there is nothing further. */
  readonly next: string | null;
  /** Where the budget was used up: how far back it came. */
  readonly through: number | null;
}

export interface TaskCount {
  readonly count: number;
  readonly exact: boolean;
  readonly byState: Readonly<Record<TaskState, number>>;
}

/** Who searches has his turn with others, however much he asks for. */
export type Searcher = Pick<Principal, "user" | "token" | "countedWith">;

export interface TaskSearch {
  page(who: Searcher, pick: TaskPick, query: SearchQuery): Promise<SearchPage>;
  count(who: Searcher, pick: TaskPick): Promise<TaskCount>;
}

export interface Budget {
  readonly ms: number;
  readonly rows: number;
}

const pageBudget: Budget = { ms: 80, rows: 20_000 };
/** For the page and the total together: whoever looks at a list sees its rows first, and can ask for the count beside it. */
const totalBudgetMs = 80;
const countBudgetMs = 500;

/**
 * Whoever reads anything waits behind the looks of all searches. A count takes longer than a page, so that counts have
 * places of their own.
 */
const [pagesMax, countsMax] = [4, 2];
const [waitingMax, ownMax] = [500, 100];

/** A look begins small, because most queries find what they want among the newest, and grows. */
const rowsFirst = 200;
const rowsLeast = 100;
const rowsMax = 1_000;
/** One look is to take no longer than this: what is not in memory may take ten times as long as what is. */
const lookMs = 25;
/** Of whole records, at once. */
const wholeMax = 100;

export function taskSearch({ store, clock }: Pick<Surroundings, "store" | "clock">): TaskSearch {
  /** Looks until it is enough, there is nothing further on, or the budget is used up. Answers where it ended, if not at the end. */
  async function look(
    query: Omit<TaskScan, "rows" | "limit">,
    budget: Budget,
    wanted: number,
    take: (found: readonly FoundTask[]) => void,
  ): Promise<string | null> {
    const until = clock.now() + budget.ms;
    let [before, rows, left, seen] = [query.before, rowsFirst, wanted, 0];
    while (left > 0) {
      const beganAt = clock.now();
      const limit = query.want === "whole" ? Math.min(left, wholeMax) : left;
      const slice: Scanned = await store.read("taskScan", { ...query, before, rows, limit });
      take(slice.found);
      left -= slice.found.length;
      seen += slice.seen;
      before = slice.through;
      if (before === null || seen >= budget.rows || clock.now() >= until) break;
      rows = nextRows(rows, clock.now() - beganAt);
    }
    return before;
  }

  async function page(pick: TaskPick, { limit, offset, before, payloads }: SearchQuery): Promise<SearchPage> {
    const until = clock.now() + totalBudgetMs;
    let skipped = 0;
    const start =
      offset === 0
        ? before
        : await look({ pick, before, want: "ids" }, pageBudget, offset, (found) => {
            skipped += found.length;
          });
    const isOver = skipped < offset || (offset > 0 && start === null);
    const items: TaskRecord[] = [];
    const checkLength = pageLength();
    const want = payloads ? "whole" : "bare";
    const next = isOver
      ? start
      : await look({ pick, before: start, want }, pageBudget, limit, (found) => {
          const records = found.flatMap(({ record }) => record ?? []);
          checkLength(records);
          items.push(...records);
        });
    const isCutShort = next !== null && items.length < limit;
    const counted = before === null ? { count: skipped + items.length, from: next } : { count: 0, from: null };
    const isWhole = before === null && next === null && limit > 0;
    const total = isWhole || isCutShort ? null : await totalFrom(pick, counted, until - clock.now());
    return {
      items,
      ...(total ?? { total: skipped + items.length, totalExact: isWhole }),
      next: limit === 0 ? null : next,
      through: isCutShort ? uuid7Time(next) : null,
    };
  }

  /** Beyond the limit it is said to be more. */
  async function totalFrom(pick: TaskPick, { count, from }: { count: number; from: string | null }, ms: number) {
    let total = count;
    const budget = { ms, rows: Number.POSITIVE_INFINITY };
    const rest = await look({ pick, before: from, want: "ids" }, budget, totalMax + 1 - count, (found) => {
      total += found.length;
    });
    return { total: Math.min(total, totalMax), totalExact: rest === null && total <= totalMax };
  }

  async function count(pick: TaskPick): Promise<TaskCount> {
    const byState = Object.fromEntries([...openStates, ...finalStates].map((state) => [state, 0]));
    const counts = byState as Record<TaskState, number>;
    let sum = 0;
    const budget = { ms: countBudgetMs, rows: Number.POSITIVE_INFINITY };
    const rest = await look({ pick, before: null, want: "states" }, budget, Number.MAX_SAFE_INTEGER, (found) => {
      sum += found.length;
      for (const { state } of found) if (state !== null) counts[state] += 1;
    });
    return { count: sum, exact: rest === null, byState: counts };
  }

  const [pages, counts] = [gate(pagesMax, waitingMax, ownMax), gate(countsMax, waitingMax, ownMax)];
  return {
    page: (who, pick, query) => pages.pass(() => page(pick, query), callerOf(who)) ?? tooMany(),
    count: (who, pick) => counts.pass(() => count(pick), callerOf(who)) ?? tooMany(),
  };
}

async function tooMany(): Promise<never> {
  throw new Problem("rate-limited", "Too many searches wait for their turn", { retryAfterSeconds: 1 });
}

function nextRows(rows: number, tookMs: number): number {
  const fitting = Math.floor((rows * lookMs) / Math.max(1, tookMs));
  return Math.max(rowsLeast, Math.min(4 * rows, rowsMax, fitting));
}
