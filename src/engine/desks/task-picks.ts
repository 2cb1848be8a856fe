// What somebody asks for, as a pick: his words, and no more than he may see.

import { maySeeRoom, type Principal } from "../../core/access.ts";
import { checkRoom, globalRoom, internalRoom } from "../../core/name.ts";
import type { Condition, Rule, TaskPick } from "../../core/task-pick.ts";
import { pickOf } from "../../core/task-pick-of.ts";
import { parseTaskQuery } from "../../core/task-query.ts";
import { stagesIn } from "../../core/task-row.ts";
import type { TaskFilter } from "../../ports/store-reads.ts";
import type { Catalog } from "../catalog.ts";

export interface PickWords {
  /** In the language of core/task-query.ts. */
  readonly q: string;
  /** Where in the request it stands. */
  readonly pointer: string;
  readonly now: number;
  readonly filter: TaskFilter;
}

export function taskPicks(catalog: Catalog): (words: PickWords) => TaskPick {
  return ({ q, pointer, now, filter }) => {
    const { conditions } = pickOf(parseTaskQuery(q, pointer), catalog, now);
    return { now, conditions: [...filterRules(filter).map(straight), ...conditions] };
  };
}

/** The rooms to look into; undefined for all of them. */
export function roomsFor(who: Principal, room: string | undefined): readonly string[] | undefined {
  if (room === undefined) return who.rooms === null ? undefined : [...who.rooms, globalRoom, internalRoom];
  checkRoom(room);
  return maySeeRoom(who, room) ? [room] : [];
}

function straight(rule: Rule): Condition {
  return { ...rule, not: false };
}

function filterRules({ rooms, lanes, state, parent, worker }: TaskFilter): readonly Rule[] {
  return [
    ...(rooms === undefined ? [] : [{ kind: "rooms", rooms } as const]),
    ...(lanes === undefined ? [] : [{ kind: "lanes", lanes } as const]),
    ...(state === undefined ? [] : [{ kind: "stages", stages: stagesIn(state) } as const]),
    ...(parent === undefined ? [] : [{ kind: "parents", ids: [parent] } as const]),
    ...(worker === undefined ? [] : [{ kind: "workers", workers: [worker] } as const]),
  ];
}
