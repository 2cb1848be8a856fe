// One statement, one name. Each connection prepares it once under that name; rows are tuples.

import type { ClientBase } from "pg";

export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Value = string | number | boolean | null;

/** May be called again before the answer is there: statements of one connection run in the order they were sent. */
export async function ask<R extends readonly unknown[]>(
  client: ClientBase,
  { name, text }: Statement,
  values: readonly Value[] = [],
): Promise<R[]> {
  const prepared = name === "" ? { text } : { name, text };
  const { rows } = await client.query<unknown[]>({ ...prepared, values: values as Value[], rowMode: "array" });
  return rows as unknown as R[];
}

/** For questions whose best plan depends on the values: planned anew each time. */
export function unprepared(text: string): Statement {
  return { name: "", text };
}
