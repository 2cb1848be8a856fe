import type { DatabaseSync } from "node:sqlite";
import type { Beat } from "../../ports/store.ts";
import { change } from "./statement.ts";

const updateSeen = `
  update session
  set seen_at = max(seen_at, ?), status = coalesce(?, status)
  where worker = ? and lost_at is null and removed_at is null`;

export function beat(db: DatabaseSync): (beats: readonly Beat[]) => string[] {
  const hear = change(db, updateSeen);
  return (beats) =>
    beats.filter(({ worker, at, status = null }) => hear(at, status, worker) === 0).map(({ worker }) => worker);
}
