// Reading a query character by character: where we are, and values with or without quotes.

import { badField, type Problem } from "./problem.ts";

const valuesMax = 100;

export interface Cursor {
  readonly pointer: string;
  /** Characters before this one have been read. */
  at(): number;
  atEnd(): boolean;
  /** Takes what a sticky pattern finds here; null where that is nothing. */
  take(pattern: RegExp): string | null;
  skip(pattern: RegExp): void;
  back(to: number): void;
}

/** A value as it was meant, and how it was written. */
export interface Spelled {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly at: number;
}

export function cursorOn(text: string, pointer: string): Cursor {
  let at = 0;
  function take(pattern: RegExp): string | null {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  }
  return {
    pointer,
    at: () => at,
    atEnd: () => at >= text.length,
    take,
    skip: (pattern) => void take(pattern),
    back(to) {
      at = to;
    },
  };
}

/** Characters are counted from 1, as people do. */
export function expected(cursor: Cursor, what: string, at = cursor.at()): Problem {
  return badField(cursor.pointer, `at character ${at + 1}: expected ${what}`);
}

/** Between commas; quotes keep spaces and commas together. */
export function readValues(cursor: Cursor): readonly Spelled[] {
  const values: Spelled[] = [];
  do {
    if (values.length === valuesMax) throw expected(cursor, `at most ${valuesMax} values`);
    values.push(readParts(cursor, /[^\s",]+/y));
  } while (cursor.take(/,/y) !== null);
  return values;
}

export function readValue(cursor: Cursor): Spelled {
  return readParts(cursor, /[^\s"]+/y);
}

function readParts(cursor: Cursor, plain: RegExp): Spelled {
  const at = cursor.at();
  let text = "";
  let isQuoted = false;
  for (;;) {
    const part = cursor.take(plain);
    if (part !== null) {
      text += part;
      continue;
    }
    if (cursor.take(/"/y) === null) break;
    isQuoted = true;
    text += (cursor.take(/(?:[^"\\]|\\["\\])*/y) ?? "").replaceAll(/\\(["\\])/g, "$1");
    if (cursor.take(/"/y) === null) throw expected(cursor, 'a closing quote, or \\" and \\\\ within quotes');
  }
  if (text === "") throw expected(cursor, "a value", at);
  return { text, isQuoted, at };
}
