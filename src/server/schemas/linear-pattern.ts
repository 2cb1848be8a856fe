// Users' regular expressions, in linear time. JSON Schema means ECMAScript's, with the `u` flag, found anywhere in the
// text; re2js speaks RE2's dialect. The few spellings that differ are translated, and what RE2 cannot do (look-around,
// back-references) is refused.

import { RE2JS } from "re2js";
import { linearSource } from "./linear-source.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface LinearPattern {
  test(text: string): boolean;
  /** Ajv tells patterns apart by this. */
  toString(): string;
}

export interface LinearPatterns {
  /** Throws an Error that says what is wrong with it. */
  compile(source: string): { readonly pattern: LinearPattern; readonly size: number };
}

const sourceLengthMax = 2_000;
const programSizeMax = 2_000;
/** After this much work all automata built on the way are dropped, so that they never add up. */
const warmWorkMax = 1_000_000;

export function linearPatterns(meter: WorkMeter): LinearPatterns {
  const warm = new Set<RE2JS>();
  let warmWork = 0;

  function pay(compiled: RE2JS, units: number): void {
    meter.spend(units);
    warm.add(compiled);
    warmWork += units;
    if (warmWork < warmWorkMax) return;
    for (const each of warm) each.reset();
    warm.clear();
    warmWork = 0;
  }

  return {
    compile(source) {
      const compiled = compileLinear(source);
      const size = compiled.programSize();
      // At worst every character meets every instruction.
      const perCharacter = 1 + size / 8;
      const test = (text: string) => {
        pay(compiled, 4 + text.length * perCharacter);
        return compiled.test(text);
      };
      return { pattern: { test, toString: () => source }, size };
    },
  };
}

function compileLinear(source: string): RE2JS {
  if (source.length > sourceLengthMax) throw new Error(`is longer than ${sourceLengthMax} characters`);
  try {
    new RegExp(source, "u");
  } catch {
    throw new Error("is no regular expression of ECMAScript with the flag u");
  }
  const compiled = compiledOrRefused(source);
  if (compiled.programSize() > programSizeMax) throw new Error("is too large once its repeats are counted");
  return compiled;
}

function compiledOrRefused(source: string): RE2JS {
  try {
    return RE2JS.compile(linearSource(source));
  } catch (cause) {
    throw new Error("cannot run in linear time (look-around, back-references and huge repeats cannot)", { cause });
  }
}
