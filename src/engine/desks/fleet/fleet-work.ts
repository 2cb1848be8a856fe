// The blackboard: jobs are put there, workers poll them and push what came of them. Between the two nothing is heard of
// a job: the poll claims it, the push tells its start and its end in one.

import { type Principal, requireJob } from "../../../core/access.ts";
import { type BlockJobType, blockJob } from "../../../core/block.ts";
import { checkBytes } from "../../../core/checks.ts";
import { isGivenUp } from "../../../core/liveness.ts";
import { isWanted } from "../../../core/log-level.ts";
import { globalRoom } from "../../../core/name.ts";
import { Problem } from "../../../core/problem.ts";
import type { Move } from "../../../core/task.ts";
import { isUuid } from "../../../core/uuid7.ts";
import type { TaskRecord } from "../../../ports/records.ts";
import type { Operations } from "../../engine.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { Outputs } from "../outputs.ts";
import type { SubmitDesk } from "../submit-desk.ts";
import type { WorkerDesk } from "../worker-desk.ts";
import type { FleetJobs, FleetJobView, PolledView } from "./fleet-jobs.ts";
import { inTheirWords } from "./fleet-problems.ts";
import type { FleetSight } from "./fleet-sight.ts";
import { pollReasons } from "./poll-reasons.ts";

export interface Poll {
  readonly jobs: readonly PolledView[];
  /** Why a worker gets nothing that is not online, or that somebody keeps from it; see `PollReasons`. */
  readonly reason: string | null;
}

export interface FleetPush {
  readonly worker: string;
  readonly job: string;
  readonly success: boolean;
  /** Of a failure: whether another attempt may help. */
  readonly retryable: boolean;
  /** JSON text. */
  readonly data: string | null;
  readonly error: { readonly code: string | null; readonly message: string };
  readonly logs: readonly string[];
  /** Null: the one in its hands. */
  readonly attempt: number | null;
}

export interface FleetJobStart {
  readonly type: BlockJobType;
  readonly block: string;
  /** JSON text, and the same read. */
  readonly parameters: string;
  readonly read: unknown;
  readonly context: unknown;
}

export interface FleetWork {
  create(who: Principal, start: FleetJobStart): Promise<FleetJobView>;
  poll(who: Principal, uuid: string, max: number): Promise<Poll>;
  push(who: Principal, push: FleetPush): Promise<string>;
}

export interface FleetWorkParts {
  readonly operations: Pick<Operations, "claim" | "settle" | "refuse" | "heardAt" | "records" | "catalog">;
  readonly submits: SubmitDesk;
  readonly workers: Pick<WorkerDesk, "owned">;
  readonly outputs: Outputs;
  readonly sight: FleetSight;
  readonly jobs: FleetJobs;
  /** A job whose last task ended may have nobody left. */
  ended(job: string): Promise<void>;
}

/** How far back in a history its holders are looked for. */
const eventsMax = 500;

export function fleetWork(around: Surroundings, parts: FleetWorkParts): FleetWork {
  const { store, clock, settings } = around;
  const { operations, submits, outputs, sight, jobs } = parts;
  const reasons = pollReasons(around, operations);

  async function poll(who: Principal, uuid: string, max: number): Promise<Poll> {
    const worker = await sight.owned(who, uuid);
    // A poll takes from all blocks of its worker, so the token has to be for all of them.
    if (who.rooms !== null || who.jobs !== null) for (const job of worker.jobs.keys()) requireJob(who, job);
    const reason = reasons.absence(worker);
    if (reason !== null) return { jobs: [], reason };
    try {
      // From now on it is told of cancels with its pings.
      await parts.workers.owned(who, worker.id);
      const taken = await operations.claim({ worker: worker.id, limit: max, waitMs: 0, assign: false });
      return { jobs: taken.map(jobs.polled), reason: taken.length === 0 ? await reasons.halt(worker) : null };
    } catch (error) {
      // It was given up in this moment.
      if (!(error instanceof Problem && error.code === "worker-not-found")) throw error;
      return { jobs: [], reason: reasons.absence(await sight.owned(who, uuid)) ?? "The worker was just given up" };
    }
  }

  async function push(who: Principal, told: FleetPush): Promise<string> {
    const worker = await sight.owned(who, told.worker, true);
    const id = told.job.toLowerCase();
    const [task] = isUuid(id) ? await store.read("tasks", { ids: [id] }) : [];
    if (task === undefined) throw new Problem("task-not-found", `Job ${told.job} does not exist`);
    const move = moveOf(told);
    const attempt = told.attempt ?? task.row.attempt;
    const isHeld = task.row.worker === worker.id && task.row.attempt === attempt && task.outcome === null;
    if (!isHeld || isGivenUp(worker.session)) throw await late(task, worker.id, told.attempt, move);
    if (move.type === "complete") checkResult(task, move.result);
    await log(task, attempt, told.logs);
    await operations.settle(id, { worker: worker.id, attempt }, move, true);
    const job = operations.catalog.lane(task.card.lane)?.job;
    if (job !== undefined) await parts.ended(job);
    return id;
  }

  function checkResult(task: TaskRecord, result: string | null): void {
    try {
      outputs.check(task, result);
    } catch (error) {
      throw inTheirWords(error);
    }
  }

  /** What a worker really had is part of the history, also where it comes too late. */
  async function late(task: TaskRecord, worker: string, said: number | null, move: Move): Promise<Problem> {
    const { id } = task.card;
    const problem = new Problem("lease-lost", `Job ${id} is not polled by worker ${worker} any more`);
    const offset = Math.max(0, task.row.version - eventsMax);
    const { items } = await store.read("events", { task: id, limit: eventsMax, offset });
    const had = items.filter((event) => event.worker === worker && (said === null || event.attempt === said)).at(-1);
    if (had !== undefined) await operations.refuse(id, { worker, attempt: had.attempt }, move, problem);
    return problem;
  }

  async function log({ card }: TaskRecord, attempt: number, lines: readonly string[]): Promise<void> {
    if (lines.length === 0 || !isWanted("info", card.logs)) return;
    const at = clock.now();
    for (const message of lines) checkBytes("line of the log", message, settings.payloadBytesMax);
    await operations.records.log(lines.map((message) => ({ task: card.id, attempt, at, level: "info", message })));
  }

  async function create(who: Principal, { type, block, parameters, read, context }: FleetJobStart) {
    checkBytes("context", JSON.stringify(context ?? null), settings.payloadBytesMax);
    const words = { type, ...(context !== undefined && { context }) };
    const task = { job: blockJob(block), payload: parameters, read, policy: { words } };
    const [view] = await submits.submit(who, globalRoom, [task], { pointer: () => "" }).catch((error) => {
      throw inTheirWords(error);
    });
    if (view === undefined) throw new Error("A submit was answered without its task");
    return jobs.view(view.record);
  }

  return { create, poll, push };
}

function moveOf({ success, retryable, data, error }: FleetPush): Extract<Move, { type: "complete" | "fail" }> {
  if (success) return { type: "complete", result: data };
  return { type: "fail", error: { ...error, details: data }, retryable };
}
