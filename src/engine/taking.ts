// Claiming a task by its id: it must be pending, and of a lane that the worker may serve.

import { isGivenUp } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { OpenTask } from "../ports/records.ts";
import type { Beats } from "./beats.ts";
import type { Catalog } from "./catalog.ts";
import type { Seats } from "./control/seats.ts";
import type { Fitness } from "./fitness.ts";
import type { Choice } from "./locked-moves.ts";
import type { Moves } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";

export type Take = (id: string, worker: string) => Promise<OpenTask>;

export interface TakingParts {
  readonly catalog: Catalog;
  readonly beats: Pick<Beats, "isReachable">;
  readonly moves: Moves;
  readonly fitness: Pick<Fitness, "refusal">;
  readonly seats: Seats;
}

/** A worker that is given up meanwhile loses the task again, by the sweep. */
export function taking({ store }: Pick<Surroundings, "store">, parts: TakingParts): Take {
  const { catalog, beats, moves, fitness, seats } = parts;

  /** What a changed spec refuses waits, whoever asks for it. */
  async function checkPayload(id: string): Promise<void> {
    const [task] = await store.read("tasks", { ids: [id] });
    const refusal = task === undefined ? null : fitness.refusal(task);
    if (refusal === null) return;
    throw new Problem("invalid-task-transition", `Task ${id} waits for another spec of its job: ${refusal}`);
  }

  return async (id, workerId) => {
    const worker = catalog.worker(workerId);
    if (worker === undefined || isGivenUp(worker.session)) {
      throw new Problem("worker-not-found", `Worker ${workerId} does not exist or was given up`);
    }
    if (!(await beats.isReachable(worker))) {
      throw new Problem("invalid-task-transition", `Worker ${workerId} is unreachable; it gets nothing until it beats`);
    }
    await checkPayload(id);
    const seat = await seats.keep(workerId, 1);
    if (seat.count === 0) throw full(workerId);
    const answer = await claimed(id, workerId).finally(seat.free);
    if (answer instanceof Problem) throw answer;
    if (answer === "gone") throw new Problem("invalid-task-transition", `Task ${id} is not open any more`);
    if (!answer.changed) throw narrow(id);
    return answer.task;
  };

  function claimed(id: string, workerId: string) {
    const choose = (task: OpenTask): Choice => {
      if (!catalog.laneSetOf(workerId).lanes.includes(task.card.lane)) {
        throw new Problem("invalid-task-transition", `Worker ${workerId} does not serve the job of task ${id}`);
      }
      return { move: { type: "claim", worker: workerId }, around: moves.circumstances(task, workerId) };
    };
    return moves.locked(id, choose, true);
  }
}

function narrow(id: string): Problem {
  return new Problem("invalid-task-transition", `As many tasks of the kind of task ${id} run as may run at a time`);
}

function full(worker: string): Problem {
  const detail = `Worker ${worker} holds, or waits for, as many tasks as an operator allows it`;
  return new Problem("invalid-task-transition", detail);
}
