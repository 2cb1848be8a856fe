// The exact source text of a member of JSON text, so that a payload travels as it was written: big numbers, the order of
// keys and even repeated keys survive. The text must have passed `readJson`; anything else gives some answer, no crash.

export type JsonPath = readonly (string | number)[];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Of repeated keys on the way the last one counts, as with JSON.parse. */
export function memberText(text: string, path: JsonPath): string | undefined {
  const span = spanAt(text, path);
  return span === undefined ? undefined : text.slice(span.start, span.end);
}

/** The text of `member` in each item of the array at `path`, in one pass; no items where there is no array. */
export function memberTexts(text: string, path: JsonPath, member: string): readonly (string | undefined)[] {
  return manyMemberTexts(text, path, [member]).map(([found]) => found);
}

/** The texts of several members in each item of the array at `path`, in the order of `members`, in one pass. */
export function manyMemberTexts(
  text: string,
  path: JsonPath,
  members: readonly string[],
): readonly (readonly (string | undefined)[])[] {
  const array = spanAt(text, path);
  if (array === undefined || text.charCodeAt(array.start) !== openBracket) return [];
  const texts: (string | undefined)[][] = [];
  forEachItem(text, array.start, (start) => {
    const found = members.map((): string | undefined => undefined);
    texts.push(found);
    return forEachMember(text, start, (keyStart, keyEnd, valueStart, valueEnd) => {
      for (let i = 0; i < members.length; i += 1) {
        if (isKey(text, keyStart, keyEnd, members[i] as string)) found[i] = text.slice(valueStart, valueEnd);
      }
    });
  });
  return texts;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function spanAt(text: string, path: JsonPath): Span | undefined {
  const start = spaceEnd(text, 0);
  let span: Span | undefined;
  for (const step of path) {
    const at = span === undefined ? start : span.start;
    span = typeof step === "number" ? nthItem(text, at, step) : lastMember(text, at, step);
    if (span === undefined) return undefined;
  }
  return span ?? { start, end: valueEnd(text, start) };
}

function nthItem(text: string, at: number, index: number): Span | undefined {
  if (text.charCodeAt(at) !== openBracket) return undefined;
  let count = 0;
  let found: Span | undefined;
  forEachItem(text, at, (start) => {
    const end = valueEnd(text, start);
    if (count === index) found = { start, end };
    count += 1;
    return found === undefined ? end : text.length;
  });
  return found;
}

/** Calls for each item of the array at `at`, and is told where the item ends. */
function forEachItem(text: string, at: number, visit: (start: number) => number): void {
  let i = spaceEnd(text, at + 1);
  if (text.charCodeAt(i) === closeBracket) return;
  while (i < text.length) {
    i = spaceEnd(text, visit(i));
    if (text.charCodeAt(i) !== comma) return;
    i = spaceEnd(text, i + 1);
  }
}

/** The last member of that name, if the value at `at` is an object and has one. */
function lastMember(text: string, at: number, name: string): Span | undefined {
  let last: Span | undefined;
  forEachMember(text, at, (keyStart, keyEnd, start, end) => {
    if (isKey(text, keyStart, keyEnd, name)) last = { start, end };
  });
  return last;
}

/** Calls for each member, if the value at `at` is an object; answers where the value ends. */
function forEachMember(
  text: string,
  at: number,
  visit: (keyStart: number, keyEnd: number, start: number, end: number) => void,
): number {
  if (text.charCodeAt(at) !== openBrace) return valueEnd(text, at);
  let i = spaceEnd(text, at + 1);
  while (text.charCodeAt(i) === quote) {
    const keyEnd = stringEnd(text, i);
    const start = spaceEnd(text, spaceEnd(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    visit(i + 1, keyEnd - 1, start, end);
    i = spaceEnd(text, end);
    if (text.charCodeAt(i) !== comma) break;
    i = spaceEnd(text, i + 1);
  }
  return i + 1;
}

function isKey(text: string, start: number, end: number, name: string): boolean {
  const length = end - start;
  if (length === name.length && text.startsWith(name, start)) return true;
  // An escape is longer than what it stands for.
  if (length <= name.length) return false;
  const raw = text.slice(start, end);
  return raw.includes("\\") && unescaped(raw) === name;
}

function unescaped(raw: string): unknown {
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    return undefined;
  }
}

/** The index after the value that starts at `start`; nesting is counted, not followed. */
function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return stringEnd(text, start);
  if (first !== openBrace && first !== openBracket) return wordEnd(text, start);
  let depth = 0;
  let i = start;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = stringEnd(text, i);
      continue;
    }
    i += 1;
    if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  return i;
}

function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === quote) return i + 1;
    if (code === backslash) i += 1;
  }
  return text.length;
}

/** A number, `true`, `false` or `null`. */
function wordEnd(text: string, start: number): number {
  let i = start;
  for (; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === comma || code === closeBrace || code === closeBracket || isSpace(code)) break;
  }
  return i;
}

function spaceEnd(text: string, start: number): number {
  let i = start;
  while (isSpace(text.charCodeAt(i))) i += 1;
  return i;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
