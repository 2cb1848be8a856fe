// Claiming tasks by their ids, as consumers behind a message broker do: one look at all of them, and one commit, which
// others share. Whatever is not there to be claimed is left out without a word, because messages come twice and late.

import { isGivenUp } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { Move } from "../core/task.ts";
import type { ClaimedTask, OpenTask, TaskRecord, WorkerRecord } from "../ports/records.ts";
import type { Beats } from "./beats.ts";
import type { Catalog, LaneSet } from "./catalog.ts";
import type { Seats } from "./control/seats.ts";
import type { Exchanger } from "./exchanger.ts";
import type { Fitness } from "./fitness.ts";
import type { MovedTask } from "./folding.ts";
import type { Held } from "./held.ts";
import type { Choice } from "./locked-moves.ts";
import type { Moves } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";
import { goneWorker } from "./waiting-claim.ts";

export interface TakeManyRequest {
  readonly ids: readonly string[];
  readonly worker: string;
  /** Claim and start in one move; workers behind a broker always do. */
  readonly assign: boolean;
}

export type TakeMany = (request: TakeManyRequest) => Promise<readonly ClaimedTask[]>;

export interface TakingManyParts {
  readonly catalog: Catalog;
  readonly beats: Pick<Beats, "isReachable">;
  readonly held: Held;
  readonly exchanger: Pick<Exchanger, "join">;
  readonly moves: Pick<Moves, "circumstances" | "locked">;
  readonly fitness: Pick<Fitness, "fit">;
  readonly seats: Seats;
}

/** How often a task is looked at that has changed between the look and the commit, and may still be there. */
const looksMax = 3;

export function takingMany({ store, clock, log }: Surroundings, parts: TakingManyParts): TakeMany {
  const { catalog, beats, held, exchanger, moves, fitness, seats } = parts;

  function present(id: string): WorkerRecord | undefined {
    const worker = catalog.worker(id);
    return worker === undefined || isGivenUp(worker.session) ? undefined : worker;
  }

  /** A worker that is given up meanwhile loses the tasks again, by the sweep. */
  async function takeMany({ ids, worker: id, assign }: TakeManyRequest): Promise<readonly ClaimedTask[]> {
    // It may have registered at another server a moment ago.
    if (present(id) === undefined) await catalog.refresh();
    const worker = present(id);
    if (worker === undefined) throw goneWorker(id);
    if (!(await beats.isReachable(worker))) return [];
    const type = assign || worker.profile === "amqp" ? "assign" : "claim";
    const taken: ClaimedTask[] = [];
    let wanted: readonly string[] = [...new Set(ids)];
    for (let looks = 0; wanted.length > 0 && looks < looksMax; looks += 1) {
      try {
        const { fit, missed } = await look(wanted, { type, worker: id });
        taken.push(...fit);
        wanted = missed;
      } catch (error) {
        if (taken.length === 0) throw error;
        // What was claimed has to be told, or nobody would ever work on it; the others still wait.
        log.warn("of the tasks that a worker named, not all could be looked at again", { worker: id, error });
        return taken;
      }
    }
    return taken;
  }

  async function look(ids: readonly string[], move: Taking) {
    const { ready, lanes } = await served(move.worker, (await store.read("tasks", { ids })).filter(isReady));
    const { taken, missed } = await tryAll(ready, move);
    return { fit: await fitness.fit(move.worker, taken, lanes), missed };
  }

  const isReady = (task: OpenTask): boolean => isReadyAt(clock.now(), task);

  /** A lane, or the worker's link to its job, may be so new that this server has not heard of it. */
  async function served(worker: string, tasks: readonly TaskRecord[]) {
    const known = catalog.laneSetOf(worker);
    if (!tasks.every(isOf(known))) await catalog.refresh();
    const lanes = catalog.laneSetOf(worker);
    return { ready: tasks.filter(isOf(lanes)), lanes };
  }

  async function tryAll(tasks: readonly TaskRecord[], move: Taking): Promise<Tried> {
    const seat = await seats.keep(move.worker, tasks.length);
    try {
      const tries = await Promise.allSettled(tasks.slice(0, seat.count).map((task) => tryOne(task, move)));
      const taken: ClaimedTask[] = [];
      const missed: string[] = [];
      const refused: unknown[] = [];
      for (const [nth, each] of tries.entries()) {
        if (each.status === "rejected") refused.push(each.reason);
        else if (each.value === "missed") missed.push((tasks[nth] as TaskRecord).card.id);
        else if (each.value !== "taken") taken.push(each.value);
      }
      // As above: what was claimed has to be told.
      if (taken.length === 0 && refused.length > 0) throw refused[0];
      return { taken, missed };
    } finally {
      seat.free();
    }
  }

  /** Where only so many of a kind may run, the last place is given under the lock of the lane. */
  async function tryNarrow({ card, payload }: TaskRecord, move: Taking): Promise<ClaimedTask | "taken"> {
    const choose = (task: OpenTask): Choice =>
      isReady(task) ? { move, around: moves.circumstances(task, move.worker) } : "leave";
    const answer = await moves.locked(card.id, choose, true);
    if (answer instanceof Problem || answer === "gone" || !answer.changed) return "taken";
    held.keep(answer.task);
    return { card, row: answer.task.row, payload };
  }

  /** Written where the task is still as it was read; whoever was faster has it. */
  function tryOne(task: TaskRecord, move: Taking): Promise<ClaimedTask | "taken" | "missed"> {
    const { card, row, payload } = task;
    const { id } = card;
    if (catalog.lane(card.lane)?.maxRunning != null) return tryNarrow(task, move);
    const known = held.get(id);
    if (known !== undefined && known.row.version > row.version) return Promise.resolve("taken");
    held.keep({ card, row });
    return new Promise((resolve, reject) => {
      const decide = (task: OpenTask) => ({ move, around: moves.circumstances(task, move.worker) });
      const told = {
        settled: (_: { readonly id: string }, task: MovedTask, missed: boolean): void =>
          resolve(missed ? "missed" : { card, row: task.row, payload }),
        failed: (_: { readonly id: string }, error: unknown): void => reject(error),
      };
      try {
        if (!exchanger.join({ id }, decide, told)) resolve("taken");
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        resolve("taken");
      }
    });
  }

  return takeMany;
}

/** Also what was delayed until now is ready; what waits for its time is not, whoever has heard of it. */
function isReadyAt(now: number, { row }: OpenTask): boolean {
  return row.state === "pending" && (row.runAt === null || row.runAt <= now);
}

type Taking = Extract<Move, { readonly type: "claim" | "assign" }>;

interface Tried {
  readonly taken: readonly ClaimedTask[];
  /** They have changed since they were read. */
  readonly missed: readonly string[];
}

function isOf({ lanes }: LaneSet): (task: OpenTask) => boolean {
  const all = new Set(lanes);
  return ({ card }) => all.has(card.lane);
}
