// Idempotency keys: the first call under a key is remembered with its answer.

import type { DatabaseSync } from "node:sqlite";
import type { IdempotencyKey } from "../../ports/records.ts";
import { query } from "./statement.ts";

const selectKey = `
  select body_hash, answer, at
  from idempotency
  where scope = ? and key = ?`;

const insertKey = `
  insert into idempotency (scope, key, body_hash, answer, at)
  values (?, ?, ?, ?, ?)
  on conflict do nothing`;

type KeyName = Pick<IdempotencyKey, "scope" | "key">;

export function keyFinder(db: DatabaseSync): (name: KeyName) => IdempotencyKey | null {
  const select = query<[string, string, number]>(db, selectKey);
  return ({ scope, key }) => {
    const found = select.get(scope, key);
    if (found === undefined) return null;
    const [bodyHash, answer, at] = found;
    return { scope, key, bodyHash, answer, at };
  };
}

/** A key that is known already keeps its first answer. */
export function keyInserter(db: DatabaseSync): (key: IdempotencyKey) => void {
  const insert = db.prepare(insertKey);
  return ({ scope, key, bodyHash, answer, at }) => void insert.run(scope, key, bodyHash, answer, at);
}
