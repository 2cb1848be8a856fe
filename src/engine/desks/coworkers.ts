// Who may speak of a coordinator that its holder has left to its messages: nobody holds it any more, so it is whoever may
// work on its job. A token that may claim a job's tasks may claim them from every room, and may speak of them as well. All
// others are told that they may not: who took "there is none" for an answer would throw the messages away.

import { mayUseJob, type Principal, requireWrite } from "../../core/access.ts";
import { passage } from "../../core/passage.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskCard } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";

export interface Coworkers {
  /** Throws task-not-found or forbidden. */
  card(who: Principal, id: string): Promise<TaskCard>;
}

export interface CoworkersParts {
  readonly operations: Pick<Operations, "catalog" | "cards">;
}

/** Cards never change, and the messages of one coordinator are many. */
const cardsMax = 1_000;

export function coworkers({ operations }: CoworkersParts): Coworkers {
  const { catalog } = operations;
  const known = passage<string, TaskCard>();

  async function cardOf(id: string): Promise<TaskCard> {
    const card = known.map().get(id) ?? (await operations.cards([id])).get(id);
    if (card === undefined) throw unknownTask(id);
    if (catalog.lane(card.lane) === undefined) await catalog.refresh();
    known.set(id, card);
    if (known.map().size > cardsMax) known.delete(known.map().keys().next().value as string);
    return card;
  }

  return {
    async card(who, id) {
      const card = await cardOf(id);
      const job = catalog.lane(card.lane)?.job ?? "";
      requireWrite(who);
      if (!mayUseJob(who, job)) throw new Problem("forbidden", `The token is not for the job of task ${id}`);
      return card;
    },
  };
}

function unknownTask(id: string): Problem {
  return new Problem("task-not-found", `Task ${id} does not exist`);
}
