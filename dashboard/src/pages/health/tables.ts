// Which tables are large. SQLite says how many rows a table has up to 10,000, and of a larger one nothing.

import { count } from "../../parts/text.ts";
import type { System } from "./system.ts";

export type TableSize = System["store"]["tables"][number];

export function largestFirst(tables: readonly TableSize[]): readonly TableSize[] {
  return tables.toSorted((a, b) => largeness(b) - largeness(a));
}

function largeness({ rows, bytes }: TableSize): number {
  return bytes ?? rows ?? Number.MAX_VALUE;
}

export function rowsOf({ rows, bytes }: TableSize): string {
  if (rows !== null) return count(rows);
  return bytes === null ? "over 10,000" : "–";
}
