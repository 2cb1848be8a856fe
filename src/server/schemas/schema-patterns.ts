import { badPlace } from "./field-errors.ts";
import type { LinearPattern, LinearPatterns } from "./linear-pattern.ts";

/** The patterns of one schema, each compiled once, and together not too many. */
export interface SchemaPatterns {
  readonly all: ReadonlyMap<string, LinearPattern>;
  /** Refuses one that does not compile, by its pointer. */
  add(source: string, pointer: string): void;
}

const patternsMax = 100;
const sizeMax = 10_000;

export function schemaPatterns(patterns: LinearPatterns): SchemaPatterns {
  const all = new Map<string, LinearPattern>();
  let sizes = 0;

  function compiled(source: string, pointer: string): ReturnType<LinearPatterns["compile"]> {
    try {
      return patterns.compile(source);
    } catch (error) {
      throw badPlace(pointer, error instanceof Error ? error.message : "does not compile");
    }
  }

  return {
    all,
    add(source, pointer) {
      if (all.has(source)) return;
      const { pattern, size } = compiled(source, pointer);
      sizes += size;
      all.set(source, pattern);
      if (all.size > patternsMax || sizes > sizeMax) throw badPlace(pointer, "is a pattern too many for one schema");
    },
  };
}
