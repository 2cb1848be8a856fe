// Prepared statements whose rows are tuples: node:sqlite makes arrays in two thirds of the time it takes for objects,
// and a tuple type names each place.
//
// Limits are written `limit +?`. SQLite plans a statement again, for 5 to 25 µs, whenever a bare parameter in a limit
// is bound anew; the sign keeps it from looking.
//
// Parameters are written `?` or by name, and never `?1`: node:sqlite of Node 22 takes numbers for names.

import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

export type Value = SQLInputValue;

type Row = readonly SQLOutputValue[];

export interface Query<R extends Row> {
  all(...values: readonly Value[]): R[];
  get(...values: readonly Value[]): R | undefined;
}

export function query<R extends Row>(db: DatabaseSync, sql: string): Query<R> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as Query<R>;
}

/** A query with parameters by name, for statements that share a part of their text. */
export interface NamedQuery<R extends Row> {
  all(values: Readonly<Record<string, Value>>): R[];
  iterate(values: Readonly<Record<string, Value>>): IterableIterator<R>;
  get(values: Readonly<Record<string, Value>>): R | undefined;
}

export function namedQuery<R extends Row>(db: DatabaseSync, sql: string): NamedQuery<R> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  statement.setAllowUnknownNamedParameters(true);
  return statement as unknown as NamedQuery<R>;
}

/** Runs a change; answers how many rows it changed. */
export type Change = (...values: readonly Value[]) => number;

export function change(db: DatabaseSync, sql: string): Change {
  const statement = db.prepare(sql);
  return (...values) => Number(statement.run(...values).changes);
}

/** Few enough that every node:sqlite takes their parameters, many enough that more would gain nothing. */
export const rowsEach = 25;

/**
 * Inserts any number of rows, their values one after the other. Many at a time cost a quarter less than one by one.
 * `into` is the statement up to and with the word `values`.
 *
 * Busy tables are written with `or fail`: otherwise SQLite keeps a copy of each page that a statement of many rows
 * touches, to undo half of it. Whatever fails here ends the whole transaction anyway.
 */
export function insert(db: DatabaseSync, into: string, columns: number): (values: readonly Value[]) => void {
  const rows = insertWith(db, (list) => `${into} ${list}`, columns);
  return (values) => rows([], values);
}

/** Inserts rows that have some values in common. `statement` is told the list of rows; what they share is before it. */
export function insertWith(
  db: DatabaseSync,
  statement: (list: string) => string,
  columns: number,
): (shared: readonly Value[], values: readonly Value[]) => void {
  const many = db.prepare(statement(lists(columns, rowsEach)));
  const one = db.prepare(statement(lists(columns, 1)));
  return (shared, values) => {
    let at = 0;
    for (; at + rowsEach * columns <= values.length; at += rowsEach * columns) {
      many.run(...shared.concat(values.slice(at, at + rowsEach * columns)));
    }
    for (; at < values.length; at += columns) one.run(...shared, ...values.slice(at, at + columns));
  };
}

/** `(?, ?), (?, ?)` and so on. */
export function lists(columns: number, rows: number): string {
  const row = `(${Array(columns).fill("?").join(", ")})`;
  return Array(rows).fill(row).join(", ");
}
