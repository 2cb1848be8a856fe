// One pass over JSON text, looking for what JSON.parse accepts and we do not: nesting without end, numbers that become
// Infinity, NUL, and halves of surrogate pairs. It does not judge the grammar; JSON.parse does that afterwards, and only
// then is nesting known to be harmless.

export interface Offence {
  readonly index: number;
  readonly says: string;
}

const quote = 0x22;
const backslash = 0x5c;
/** No finite double has more digits before the point. */
const digitsMax = 308;

export function findOffence(text: string, depthMax: number): Offence | undefined {
  if (!text.isWellFormed()) return { index: loneSurrogate(text), says: "has a lone surrogate" };
  const { length } = text;
  let depth = 0;
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      for (i += 1; i < length; i += 1) {
        const inside = text.charCodeAt(i);
        if (inside === quote) break;
        if (inside !== backslash) continue;
        const width = escapeWidth(text, i);
        if (width < 0) return { index: i, says: width === escapedNul ? "has a NUL character" : "has a lone surrogate" };
        i += width - 1;
      }
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthMax) return { index: i, says: `is nested deeper than ${depthMax}` };
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (isDigit(code)) {
      const end = numberEnd(text, i);
      if (overflows(text, i, end)) return { index: i, says: "is a number that is too large" };
      i = end - 1;
    }
  }
  return undefined;
}

const escapedNul = -1;
const escapedHalf = -2;

/** How many characters the escape at `i` has, both halves of a pair together, or below zero if it is refused. */
function escapeWidth(text: string, i: number): number {
  if (text.charCodeAt(i + 1) !== 0x75) return 2;
  const code = hexAt(text, i + 2);
  if (code === 0) return escapedNul;
  if (code < 0xd800 || code > 0xdfff) return code < 0 ? 2 : 6;
  const paired = code < 0xdc00 && text.charCodeAt(i + 6) === backslash && text.charCodeAt(i + 7) === 0x75;
  const low = paired ? hexAt(text, i + 8) : 0;
  return low >= 0xdc00 && low <= 0xdfff ? 12 : escapedHalf;
}

/** The value of four hexadecimal digits, or -1. */
function hexAt(text: string, start: number): number {
  let value = 0;
  for (let i = start; i < start + 4; i += 1) {
    const code = text.charCodeAt(i);
    const lower = code | 0x20;
    if (isDigit(code)) value = value * 16 + code - 0x30;
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + lower - 0x57;
    else return -1;
  }
  return value;
}

function numberEnd(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (isDigit(code) || code === 0x2e || (code | 0x20) === 0x65) continue;
    if (code !== 0x2b && code !== 0x2d) break;
  }
  return i;
}

function overflows(text: string, start: number, end: number): boolean {
  if (end - start <= 2) return false;
  if (end - start <= digitsMax && !hasExponent(text, start, end)) return false;
  return Number(text.slice(start, end)) === Number.POSITIVE_INFINITY;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) if ((text.charCodeAt(i) | 0x20) === 0x65) return true;
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function loneSurrogate(text: string): number {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0xd800 || code > 0xdfff) continue;
    const low = text.charCodeAt(i + 1);
    if (code >= 0xdc00 || !(low >= 0xdc00 && low <= 0xdfff)) return i;
    i += 1;
  }
  return text.length;
}
