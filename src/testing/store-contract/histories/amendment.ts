// The decision of a random amendment: what to do with everything the view shows.

import { profileNames, type Session } from "../../../core/liveness.ts";
import { type MarkChunk, markKey } from "../../../core/marks.ts";
import { legalMoves } from "../../../core/task.ts";
import type { Lane, OpenTask, TaskWrite, TokenRecord, WorkerRecord } from "../../../ports/records.ts";
import type { Amendment, AmendScope, AmendView, Decide } from "../../../ports/store.ts";
import { aJob, aKey, anOutboxItem, aToken, aWorker, aWorkerEvent, itemId, jobId, workerId } from "../../builders.ts";
import { oneOf, pick, texts } from "../../random-moves.ts";
import { jobNames, type Known, laneKeys, renewalOf, unknownJob, writeOf } from "./known.ts";
import type { AmendPlan } from "./operations.ts";

export class Refused extends Error {}

export function scopeOf(plan: AmendPlan, state: Known): AmendScope {
  const ids = (numbers: readonly number[]) => numbers.flatMap((n) => pick(state.ids, n) ?? []);
  return {
    jobs: plan.jobs.map((n) => jobNames[n] ?? unknownJob),
    workers: plan.workers.map(workerId),
    heldBy: plan.heldBy.map(workerId),
    parents: ids(plan.parents),
    tasks: ids(plan.tasks),
    outbox: plan.tasks.flatMap((n) => pick(state.outbox, n) ?? []),
    marks: ids([...plan.parents, ...plan.tasks]).map((task) => ({ task, chunk: plan.detail % 5 === 0 ? 1 : 0 })),
  };
}

export function decisionOf(plan: AmendPlan, state: Known, lanes: readonly number[]) {
  return (view: AmendView): Amendment<AmendView> => {
    if (plan.throws) throw new Refused("refused");
    return {
      answer: view,
      ...(plan.toJobs === "nothing" ? {} : { jobs: jobsAfter(plan, state) }),
      ...(plan.toWorkers === "nothing" ? {} : { workers: workersAfter(plan, view, state.now) }),
      lanes: plan.lanes.map((n) => laneKeys[n] as (typeof laneKeys)[number]),
      laneLimits: plan.limits.map((limit) => ({ ...limit, lane: lanes[limit.lane] as Lane["id"] })),
      tasks: tasksAfter(plan, view, state.now),
      marks: marksAfter(plan, scopeOf(plan, state), view),
      ...besideOf(plan, state),
    };
  };
}

/** Some want to know all families first. */
export function askingFirst<T>(plan: AmendPlan, state: Known, decide: Decide<T>): Decide<T> {
  if (plan.detail % 3 !== 0 || state.ids.length === 0) return decide;
  return (view) => (view.families.size === 0 ? { families: state.ids } : decide(view));
}

/** Written whether the view shows them or not: a job is made, changed or brought back by the same write. */
function jobsAfter(plan: AmendPlan, state: Known) {
  return plan.jobs.flatMap((n) => {
    const name = jobNames[n];
    if (name === undefined) return [];
    const revision = (state.revisions.get(name) as number) + 1;
    return [aJob({ id: jobId(n), name, revision, deleted: plan.toJobs === "delete", checksum: `c${plan.detail % 3}` })];
  });
}

function workersAfter(plan: AmendPlan, view: AmendView, now: number): WorkerRecord[] {
  if (plan.toWorkers === "register") return plan.workers.map((n) => registered(n, plan.detail, now));
  return [...view.workers.values()].map((worker) => {
    const lostAt = worker.session.lostAt ?? now;
    if (plan.toWorkers === "tell") return { ...worker, session: { ...worker.session, told: toldAfter(plan) } };
    if (plan.toWorkers === "fence") return { ...worker, session: { ...worker.session, lostAt } };
    return { ...worker, jobs: new Map(), session: { ...worker.session, lostAt, removedAt: now } };
  });
}

function toldAfter({ detail }: AmendPlan): Session["told"] {
  return detail % 3 === 0 ? "ONLINE" : "UNREACHABLE";
}

function registered(n: number, detail: number, now: number): WorkerRecord {
  const jobs = jobNames.filter((_, job) => ((detail >> job) & 1) === 1);
  return aWorker({
    id: workerId(n),
    profile: oneOf(profileNames, detail),
    name: oneOf(texts, detail),
    queues: detail % 3 === 0 ? null : [oneOf(texts, n)],
    jobs: new Map(jobs.map((job, index) => [job, index % 2 === 0 ? null : `c${detail}`])),
    session: { seenAt: now, lostMs: 50 + detail, unreachableMs: detail % 2 === 0 ? 20 + detail / 2 : null },
  });
}

function tasksAfter(plan: AmendPlan, view: AmendView, now: number): TaskWrite[] {
  return [...view.tasks.values()].flatMap((task) => taskAfter(plan, task, now) ?? []);
}

function taskAfter(plan: AmendPlan, task: OpenTask, now: number): TaskWrite | null {
  const { detail, toTasks } = plan;
  if (toTasks === "nothing") return null;
  if (toTasks === "any") return writeOf(task, [detail, detail >> 1], detail, now);
  if (toTasks === "renew") return renewalOf(task.row, detail, now);
  const index = legalMoves(task.row).indexOf(toTasks);
  return index < 0 ? null : writeOf(task, [index], detail, now);
}

/** One more bit of each kind for every task that the view shows. */
function marksAfter({ detail }: AmendPlan, { marks = [] }: AmendScope, view: AmendView): MarkChunk[] {
  const marked = (bytes: Uint8Array, n: number) =>
    bytes.map((byte, index) => (index === n % 2 ? byte | (1 << (n % 8)) : byte));
  return marks
    .filter(({ task }) => view.tasks.has(task))
    .map(({ task, chunk }) => {
      const { done = new Uint8Array(2), failed = new Uint8Array(2) } = view.marks.get(markKey({ task, chunk })) ?? {};
      return { task, chunk, done: marked(done, detail), failed: marked(failed, detail >> 2) };
    });
}

function besideOf(plan: AmendPlan, state: Known): Partial<Amendment<AmendView>> {
  const { beside, detail } = plan;
  const event = aWorkerEvent({ worker: workerId(detail % 5), at: state.now, data: oneOf(texts, detail) });
  const done = pick(state.outbox, detail);
  return {
    ...((beside & 1) === 0 ? {} : { outbox: [anOutboxItem({ id: itemId(state.made), kind: `k${detail % 2}` })] }),
    ...((beside & 2) === 0 || done === undefined ? {} : { outboxDone: [done] }),
    ...((beside & 4) === 0 ? {} : { keys: [aKey({ scope: "amend", key: `${state.made}`, at: state.now })] }),
    ...((beside & 8) === 0 ? {} : { workerEvents: [event] }),
    ...((beside & 16) === 0 ? {} : { tokens: [tokenOf(detail, state.now)] }),
  };
}

function tokenOf(detail: number, now: number): TokenRecord {
  const n = detail % 4;
  const rooms = detail % 3 === 0 ? null : [oneOf(texts, detail)];
  const revokedAt = detail % 5 === 0 ? now : null;
  return aToken({ id: `t${n}`, hash: `${n}`.repeat(64), user: oneOf(texts, n), rooms, createdAt: now, revokedAt });
}
