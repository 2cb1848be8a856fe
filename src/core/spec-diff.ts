// What a new spec means for those who use the old one. A payload that was good has to stay good, so an input schema may
// only take more; a result has to stay what its readers expect, so an output schema may only promise more. Whatever is not
// understood is breaking: better a deploy with a second look than tasks that nobody can run.

import type { Json } from "./checksum.ts";
import { type Narrowing, narrowings, sameJson } from "./schema-narrowing.ts";

export interface SpecSchemas {
  readonly schema: Json;
  /** Null or absent: any result will do. */
  readonly output?: Json | null | undefined;
}

export interface SpecDifference {
  /** Into the new spec, or the old one where the new has nothing there. */
  readonly pointer: string;
  readonly kind: "compatible" | "breaking";
  readonly detail: string;
}

export interface SpecChange {
  readonly kind: "same" | "compatible" | "breaking";
  readonly differences: readonly SpecDifference[];
}

/** So many are told; a schema that is another altogether is not told line by line. */
export const differencesMax = 50;

/** Pure and total: no schema, however strange, makes it throw. */
export function specChange(before: SpecSchemas, after: SpecSchemas): SpecChange {
  const [wasOutput, isOutput] = [before.output ?? null, after.output ?? null];
  if (sameJson(before.schema, after.schema) && sameJson(wasOutput, isOutput)) return { kind: "same", differences: [] };
  const tighter = narrowings(before.schema, after.schema, "/schema");
  const looser = narrowings(after.schema, before.schema, "/schema");
  const [was, now] = [wasOutput ?? true, isOutput ?? true];
  const lessPromised = narrowings(now, was, "/output");
  const morePromised = narrowings(was, now, "/output");
  const found = [
    ...told(tighter, "breaking", "tight"),
    ...told(lessPromised, "breaking", "loose"),
    ...told(looser, "compatible", "loose"),
    ...told(morePromised, "compatible", "tight"),
  ];
  const breaking = found.filter(({ kind }) => kind === "breaking");
  const isBroken = new Set(breaking.map(({ pointer }) => pointer));
  const compatible = found.filter(({ kind, pointer }) => kind === "compatible" && !isBroken.has(pointer));
  const all = [...breaking, ...compatible].slice(0, differencesMax);
  return {
    kind: breaking.length > 0 ? "breaking" : "compatible",
    differences: all.length > 0 ? all : [unseen],
  };
}

const unseen: SpecDifference = {
  pointer: "",
  kind: "compatible",
  detail: "only what no payload and no result is checked by has changed",
};

function told(found: readonly Narrowing[], kind: SpecDifference["kind"], reading: "tight" | "loose"): SpecDifference[] {
  return found.map((each) => ({
    pointer: each.pointer,
    kind: each.isHarmless ? "compatible" : kind,
    detail: each[reading],
  }));
}
