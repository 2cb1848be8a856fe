// How much is in hand, of workers and of lanes.

import type { ClientBase } from "pg";
import type { Reads } from "../../ports/store-reads.ts";
import { plainArray, sortedTexts, textArray } from "./arrays.ts";
import { ask, type Statement } from "./statement.ts";

const countOfWorkers: Statement = {
  name: "count_of_workers",
  text: `
    select n.id, h.held
    from unnest($1::text[]) n (id)
    cross join lateral (
      select count(*) as held
      from open_task o
      where o.worker = n.id
    ) h
    where h.held > 0`,
};

/** A deferred task is busy, but in nobody's hands. */
export const countHeld: Statement = {
  name: "count_held",
  text: `
    select n.id, h.held
    from unnest($1::integer[]) n (id)
    cross join lateral (
      select count(*) as held
      from open_task o
      where o.lane = n.id
        and o.state <> 'pending'
        and o.worker is not null
    ) h`,
};

export async function readLoad(
  client: ClientBase,
  { workers, lanes }: Reads["load"]["query"],
): Promise<Reads["load"]["answer"]> {
  const [ofWorkers, ofLanes] = await Promise.all([
    ask<[string, number]>(client, countOfWorkers, [textArray(sortedTexts(workers))]),
    ask<[number, number]>(client, countHeld, [plainArray([...new Set(lanes)])]),
  ]);
  return { workers: new Map(ofWorkers), lanes: new Map(ofLanes.filter(([, held]) => held > 0)) };
}
