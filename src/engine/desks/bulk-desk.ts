// Many results of one worker in one request. Each stands for itself: one that is refused takes no other with it. They
// gather in the commits of the moment, and the same result told twice is one outcome.

import { maySeeRoom, mayUseJob, type Principal, requireWrite } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskCard, WorkerRecord } from "../../ports/records.ts";
import type { Ending } from "../concluding-all.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Outputs } from "./outputs.ts";
import { unknownWorker } from "./worker-views.ts";

/** How an attempt ended, or why what was told of it cannot be read. */
export type ToldEnding = Ending | Problem;

export interface BulkDesk {
  /** For each, in order: null once it is written, else why it is not. */
  settle(who: Principal, worker: string, results: readonly ToldEnding[]): Promise<readonly (Problem | null)[]>;
}

export interface BulkDeskParts {
  readonly operations: Pick<Operations, "catalog" | "cards" | "concludeAll">;
  readonly outputs: Outputs;
}

export function bulkDesk({ store }: Pick<Surroundings, "store">, { operations, outputs }: BulkDeskParts): BulkDesk {
  /** Also one that was given up: its results come too late, and that is for the history. */
  async function owned(who: Principal, id: string): Promise<WorkerRecord> {
    const worker = operations.catalog.worker(id) ?? (await store.read("workers", { ids: [id] }))[0];
    if (worker === undefined) throw unknownWorker(id);
    if (worker.owner !== who.user) throw new Problem("forbidden", `Worker ${id} belongs to someone else`);
    return worker;
  }

  /** As for one who tells a single result: what one may not see does not exist, and its history stays as it is. */
  function isHidden(who: Principal, card: TaskCard): boolean {
    return !maySeeRoom(who, card.room) && !mayUseJob(who, operations.catalog.lane(card.lane)?.job ?? "");
  }

  function faultOf(who: Principal, { task, move }: Ending, card: TaskCard | undefined): Problem | null {
    if (card !== undefined && isHidden(who, card)) return new Problem("task-not-found", `Task ${task} does not exist`);
    if (move.type !== "complete" || card === undefined) return null;
    try {
      outputs.check({ card }, move.result);
      return null;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  return {
    async settle(who, id, results) {
      requireWrite(who);
      const worker = await owned(who, id);
      const told = results.flatMap((each, place) => (each instanceof Problem ? [] : [{ ...each, place }]));
      const cards = await operations.cards([...new Set(told.map(({ task }) => task))]);
      const answers: (Problem | null)[] = results.map((each) => (each instanceof Problem ? each : null));
      const sound = told.filter((ending) => {
        const fault = faultOf(who, ending, cards.get(ending.task));
        answers[ending.place] = fault;
        return fault === null;
      });
      if (sound.length === 0) return answers;
      await new Promise<void>((resolve) => {
        let left = sound.length;
        operations.concludeAll(worker.id, sound, ({ place }, refusal) => {
          answers[place] = refusal;
          left -= 1;
          if (left === 0) resolve();
        });
      });
      return answers;
    },
  };
}
