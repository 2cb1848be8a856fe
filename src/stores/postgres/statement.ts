// One statement, one name. Each connection prepares it once under that name; rows are tuples.

import { type ClientBase, DatabaseError } from "pg";

export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Value = string | number | boolean | Uint8Array | null;

/** Connections whose server process changes, and does not know the names that another one was told. */
const nameless = new WeakSet<object>();

export function neverName(client: ClientBase): void {
  nameless.add(client);
}

/** The last failure of each connection that says what was wrong. */
const reasons = new WeakMap<object, unknown>();

/**
 * May be called again before the answer is there: statements of one connection run in the order they were sent. Once
 * one of a transaction has failed, those behind it fail because of it, and say so with its words.
 */
export async function ask<R extends readonly unknown[]>(
  client: ClientBase,
  { name, text }: Statement,
  values: readonly Value[] = [],
): Promise<R[]> {
  const prepared = name === "" || nameless.has(client) ? { text } : { name, text };
  try {
    const { rows } = await client.query<unknown[]>({ ...prepared, values: values as Value[], rowMode: "array" });
    return rows as unknown as R[];
  } catch (error) {
    if (isConsequence(error)) throw reasons.get(client) ?? error;
    reasons.set(client, error);
    throw error;
  }
}

const inFailedTransaction = "25P02";

function isConsequence(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === inFailedTransaction;
}

/** For questions whose best plan depends on the values: planned anew each time. */
export function unprepared(text: string): Statement {
  return { name: "", text };
}
