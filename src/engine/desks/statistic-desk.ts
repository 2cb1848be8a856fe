// How busy it has been: what was counted, for somebody and as far as he may see it. What this server has counted and not
// written yet is written first, so that it is seen at once.

import { callerOf, type Principal } from "../../core/access.ts";
import { isFingerprint } from "../../core/fingerprint.ts";
import { isFound } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import type { FailureQuery, FailureSummary, StatisticQuery, StatisticSum } from "../../core/statistic-sums.ts";
import { addedCounts, type Counts, hourMs, nothingCounted } from "../../core/statistics.ts";
import { partOf, partsOf, type Span, steppedSpan, trendSpan, type WindowName } from "../../core/window.ts";
import type { LaneDepth, Page, PageQuery } from "../../ports/store-reads.ts";
import type { Operations } from "../engine.ts";
import { gate } from "../gate.ts";
import { recently } from "../recently.ts";
import type { Surroundings } from "../surroundings.ts";
import type { JobDesk, JobListQuery } from "./job-desk.ts";
import { pageOf } from "./page.ts";
import { readySince } from "./ready-since.ts";
import { type Scope, type ScopeQuery, statisticScopes } from "./statistic-scope.ts";

export interface CountsAt extends Counts {
  readonly at: number;
}

export interface Flow {
  readonly now: number;
  readonly span: Span;
  /** Each part of the span. */
  readonly points: readonly CountsAt[];
  readonly totals: Counts;
}

export interface JobStatistic {
  readonly job: string;
  readonly totals: Counts;
  readonly trend: readonly CountsAt[];
  readonly waiting: number;
  readonly running: number;
  readonly oldestReadyAt: number | null;
}

export interface FailureWords extends ScopeQuery, PageQuery {
  readonly window: WindowName;
  readonly sort: FailureQuery["sort"];
}

export interface StatisticDesk {
  flow(who: Principal, query: ScopeQuery & { readonly window: WindowName }): Promise<Flow>;
  /** The busiest first. */
  jobs(
    who: Principal,
    query: Omit<ScopeQuery, "job"> & JobListQuery & { readonly window: WindowName },
  ): Promise<Page<JobStatistic>>;
  failures(who: Principal, query: FailureWords): Promise<Page<FailureSummary>>;
  /** Throws failure-not-found, also where there is none in sight. */
  failure(who: Principal, fingerprint: string, window: WindowName): Promise<FailureSummary>;
}

export interface StatisticDeskParts {
  readonly operations: Pick<Operations, "catalog" | "depths" | "statistics">;
  readonly jobs: Pick<JobDesk, "maySee" | "visibleIn">;
}

/** Many who look at once are shown what was written a moment ago. */
const writtenMs = 250;

/** To sum up a month takes long and changes little, so that all who ask share what was found; of a day, for a moment. */
const sharedMs: Readonly<Partial<Record<WindowName, number>>> = { "24h": 1_000, "7d": 30_000, "30d": 30_000 };
/** What is over changes no more, unless a server could not write for long. */
const overMs = 3_600_000;
/** So many sums are made at once; others wait for their turn, one caller after the other. */
const sumsMax = 2;

export function statisticDesk(around: Surroundings, { operations, jobs }: StatisticDeskParts): StatisticDesk {
  const { store, clock } = around;
  const { catalog, statistics } = operations;
  const scopes = statisticScopes(around, operations);
  const since = readySince(around);
  const turns = gate(sumsMax, Number.POSITIVE_INFINITY);
  const shared = new Map(
    Object.entries(sharedMs).map(([name, ms]) => [name, recently<readonly StatisticSum[]>({ clock, ms })]),
  );
  const over = recently<readonly StatisticSum[]>({ clock, ms: overMs });
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    const now = clock.now();
    if (now - writtenAt < writtenMs) return;
    writtenAt = now;
    await statistics.flush();
  }

  const look = (who: Principal, query: StatisticQuery) => async () =>
    (await turns.pass(() => store.read("statistics", query), callerOf(who))) ?? [];

  /** The same for all who may see the same, until it is worth another look. */
  async function sums(who: Principal, window: WindowName, query: StatisticQuery): Promise<readonly StatisticSum[]> {
    return shared.get(window)?.(JSON.stringify(query), look(who, query)) ?? look(who, query)();
  }

  /** Of a long window only the last parts are looked at again. */
  async function flowSums(who: Principal, window: WindowName, query: StatisticQuery): Promise<readonly StatisticSum[]> {
    const since = query.until - 2 * query.widthMs;
    if (query.keptMs !== hourMs || since <= query.since) return sums(who, window, query);
    const before = { ...query, until: since };
    const earlier = over(JSON.stringify(before), look(who, before));
    const parts = await Promise.all([earlier, sums(who, window, { ...query, since })]);
    return parts.flat();
  }

  /** Those that are there, and those that were busy. */
  function names(who: Principal, room: string | undefined, busy: Iterable<string>): ReadonlySet<string> {
    const isOfRoom = room === undefined ? () => true : jobs.visibleIn(room);
    const there = [...catalog.jobs()].filter(({ name, deleted }) => !deleted && jobs.maySee(who, name));
    return new Set([...there.map(({ name }) => name).filter(isOfRoom), ...busy]);
  }

  async function failures(who: Principal, scope: Scope, window: WindowName, query: FailureAsk): Promise<Failures> {
    await write();
    const asked = { ...trendSpan(window, clock.now()), ...scope, ...query };
    return turns.pass(() => store.read("failures", asked), callerOf(who)) as Promise<Failures>;
  }

  return {
    async flow(who, { window, ...query }) {
      await write();
      const now = clock.now();
      const span = steppedSpan(window, now);
      const found = await flowSums(who, window, { ...span, ...scopes.of(who, query), byJob: false });
      const points = pointsOf(found, span);
      return { now, span, points, totals: points.reduce<Counts>(addedCounts, nothingCounted) };
    },
    async jobs(who, { window, room, find, limit, offset }) {
      await write();
      const scope = scopes.of(who, { room });
      const span = trendSpan(window, clock.now());
      const [counted, depths] = await Promise.all([
        sums(who, window, { ...span, ...scope, byJob: true }),
        scopes.depths(scope),
      ]);
      const byJob = Map.groupBy(counted, ({ job }) => job);
      const lanes = Map.groupBy(depths, ({ lane }) => catalog.lane(lane)?.job ?? "");
      lanes.delete("");
      const found = [...names(who, room, [...byJob.keys(), ...lanes.keys()])].filter((job) => isFound(job, find));
      const all = found.map((job) => countedJob(job, byJob.get(job) ?? [], lanes.get(job)));
      all.sort((a, b) => activity(b.totals) - activity(a.totals) || b.waiting - a.waiting || (a.job < b.job ? -1 : 1));
      const page = pageOf(all, { limit, offset });
      const ages = page.items.map(({ oldest }) => (oldest === null ? null : since(oldest)));
      const readyAt = await Promise.all(ages);
      return { ...page, items: page.items.map((each, nth) => shown(each, readyAt[nth] ?? null, span)) };
    },
    failures(who, { window, room, job, sort, limit, offset }) {
      return failures(who, scopes.of(who, { room, job }), window, { sort, limit, offset, fingerprint: null });
    },
    async failure(who, fingerprint, window) {
      const asked = { sort: "last", limit: 1, offset: 0, fingerprint } as const;
      const found = isFingerprint(fingerprint) ? await failures(who, scopes.of(who, {}), window, asked) : null;
      const [failure] = found?.items ?? [];
      if (failure === undefined) throw new Problem("failure-not-found", `Nothing has failed as ${fingerprint}`);
      return failure;
    },
  };
}

type Failures = Page<FailureSummary>;
type FailureAsk = Pick<FailureQuery, "sort" | "limit" | "offset" | "fingerprint">;

function activity({ submitted, completed, failed, cancelled }: Counts): number {
  return submitted + completed + failed + cancelled;
}

type CountedJob = ReturnType<typeof countedJob>;

function countedJob(job: string, own: readonly StatisticSum[], depths: readonly LaneDepth[] = []) {
  return {
    ...{ job, own, totals: own.reduce<Counts>(addedCounts, nothingCounted) },
    waiting: depths.reduce((sum, { ready, delayed }) => sum + ready + delayed, 0),
    running: depths.reduce((sum, { held, deferred }) => sum + held + deferred, 0),
    oldest: oldestOf(depths),
  };
}

function shown({ own, oldest: _, ...job }: CountedJob, oldestReadyAt: number | null, span: Span): JobStatistic {
  return { ...job, oldestReadyAt, trend: pointsOf(own, span) };
}

/** The id of the oldest task that is ready. */
function oldestOf(depths: readonly LaneDepth[]): string | null {
  const [oldest = null] = depths.flatMap(({ oldestId }) => oldestId ?? []).sort();
  return oldest;
}

function pointsOf(sums: readonly StatisticSum[], span: Span): CountsAt[] {
  const byPart = new Map(sums.map((sum) => [partOf(span, sum.at), sum]));
  return Array.from({ length: partsOf(span) }, (_, part) => {
    return { ...(byPart.get(part) ?? nothingCounted), at: span.since + part * span.widthMs };
  });
}
