// What goes to standard output: tables that fit the terminal, lists with what they leave out, JSON as the server sent it.

import type { PageAnswer } from "./answers.ts";
import { counted } from "./counted.ts";
import { type Paint, paintOn } from "./paint.ts";
import { type Cell, type Column, tableLines } from "./table.ts";

export function paintOut(): Paint {
  return paintOn(process.stdout);
}

export function printLines(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

export interface PrintOptions {
  /** As wide as the terminal where absent; null: as wide as it needs. */
  readonly width?: null;
}

export function printTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: PrintOptions = {},
): void {
  const width = options.width !== null && process.stdout.isTTY ? process.stdout.columns || 80 : null;
  printLines(tableLines(columns, rows, { width, paint: paintOut() }));
}

/** A page of a list; what it leaves out is told on standard error. */
export function printPage<T>(
  page: PageAnswer<T>,
  word: string,
  columns: readonly Column[],
  cells: (item: T) => Cell[],
  options: PrintOptions = {},
): void {
  const { items, total, total_exact, offset } = page;
  if (items.length > 0) printTable(columns, items.map(cells), options);
  else console.error(total === 0 ? `No ${word}s` : `${counted(total, word)}, but none from number ${offset + 1} on`);
  const rest = total - offset - items.length;
  if (items.length === 0 || rest <= 0) return;
  const many = total_exact ? counted(rest, word) : `at least ${counted(rest, word)}`;
  console.error(`${many} more; --offset ${offset + items.length} goes on`);
}

/** Payloads may be written over many lines. Inside of texts JSON has no line breaks, so those between are but space. */
export function printJson(text: string): void {
  console.log(text.replaceAll(/[\r\n]/g, " "));
}
