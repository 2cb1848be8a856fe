import type { Beat } from "../../ports/store.ts";
import { plainArray, sparseTextArray, textArray } from "./arrays.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { patiently } from "./patience.ts";
import { ask, type Statement } from "./statement.ts";

// Sessions are written in the order of the array, which is that of their ids: two servers that hear the same workers
// do not wait in a circle.
const beatSessions: Statement = {
  name: "beat_sessions",
  text: `
    with alive as (
      update session s
      set seen_at = greatest(s.seen_at, b.at), status = coalesce(b.status, s.status)
      from unnest($1::text[], $2::bigint[], $3::text[]) b (worker, at, status)
      where s.worker = b.worker
        and s.lost_at is null
        and s.removed_at is null
      returning s.worker
    )
    select worker
    from unnest($1::text[]) b (worker)
    where (select count(*) from alive) < cardinality($1::text[])
      and (worker in (select worker from alive)) is not true`,
};

export async function beat(database: Database, beats: readonly Beat[]): Promise<string[]> {
  if (beats.length === 0) return [];
  const latest = new Map<string, Beat>();
  for (const beat of beats) latest.set(beat.worker, later(latest.get(beat.worker), beat));
  const sorted = [...latest.values()].sort((a, b) => (a.worker < b.worker ? -1 : 1));
  const values = [
    textArray(sorted.map(({ worker }) => worker)),
    plainArray(sorted.map(({ at }) => at)),
    sparseTextArray(sorted.map(({ status }) => status ?? null)),
  ];
  // A beat that was counted may be counted again: it only ever moves a session forward.
  const gone = await patiently(database, () =>
    lend(database.writers, (client) => ask<[worker: string]>(client, beatSessions, values)),
  );
  if (gone.length === 0) return [];
  const missing = new Set(gone.map(([worker]) => worker));
  return beats.map(({ worker }) => worker).filter((worker) => missing.has(worker));
}

/** Two of one worker as one. */
function later(one: Beat | undefined, other: Beat): Beat {
  if (one === undefined) return other;
  return { worker: other.worker, at: Math.max(one.at, other.at), status: other.status ?? one.status ?? null };
}
