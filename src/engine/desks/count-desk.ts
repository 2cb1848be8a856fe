// Work that has no task of its own is counted on the task that asked for it.

import type { Principal } from "../../core/access.ts";
import type { ToldMark } from "../../core/marks.ts";
import type { RequestNote } from "../../core/request-notes.ts";
import type { Operations } from "../engine.ts";
import type { Standing } from "../marking.ts";
import type { Coworkers } from "./coworkers.ts";

export interface CountDesk {
  /**
   * No marks are a sign of life: somebody works for this task, and has nothing to count yet. With a note, the same request
   * counts once.
   */
  count(who: Principal, id: string, marks: readonly ToldMark[], note?: RequestNote): Promise<Standing>;
}

export interface CountDeskParts {
  readonly operations: Pick<Operations, "count" | "heardOf">;
  readonly coworkers: Coworkers;
}

export function countDesk({ operations, coworkers }: CountDeskParts): CountDesk {
  return {
    async count(who, id, marks, note) {
      await coworkers.card(who, id);
      if (marks.length === 0) await operations.heardOf(id);
      return operations.count(id, marks, note);
    },
  };
}
