// What the check of one value against one subschema costs beside its children, who pay for themselves. A subschema that
// costs a constant pays nothing: whoever applies it to many values has paid for each.

import { _, type KeywordDefinition } from "ajv";
import type { WorkMeter } from "./work-meter.ts";

export interface Cost {
  readonly once: number;
  readonly perCharacter: number;
  readonly perItem: number;
  readonly perKey: number;
}

type Node = Readonly<Record<string, unknown>>;

const constantKeywords = new Set([
  ...["type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
]);
const overItems = ["items", "additionalItems", "contains", "unevaluatedItems"];
const overKeys = ["additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties"];

/** Of a translated subschema; none if it costs a constant. */
export function costOf(node: Node): Cost | undefined {
  const keywords = Object.keys(node);
  if (keywords.every((keyword) => constantKeywords.has(keyword))) return undefined;
  const has = (...names: string[]) => names.some((name) => Object.hasOwn(node, name));
  const countsKeys = has(...overKeys, "minProperties", "maxProperties");
  return {
    once: 1 + keywords.reduce((sum, keyword) => sum + widthOf(keyword, node[keyword]), 0),
    perCharacter: has("minLength", "maxLength") ? 0.25 : 0,
    perItem: has(...overItems) ? 1 : 0,
    perKey: countsKeys ? 5 + widthOf("patternProperties", node["patternProperties"]) : 0,
  };
}

/** A branch that fails leaves errors behind, and errors of a reference are copied. */
const branchCost = 8;

/** How many things a keyword looks at. Values to compare with are found by hashing. */
function widthOf(keyword: string, value: unknown): number {
  if (keyword === "$ref" || keyword === "not" || keyword === "if") return branchCost;
  if (keyword === "anyOf" || keyword === "oneOf") return (value as unknown[]).length * branchCost;
  if (keyword === "enum" || keyword === "const" || typeof value !== "object" || value === null) return 1;
  const members = Object.values(value);
  if (keyword !== "dependentRequired" && keyword !== "dependencies") return members.length;
  return members.reduce<number>((sum, member) => sum + (Array.isArray(member) ? member.length : 1), 0);
}

export function workKeyword(meter: WorkMeter): KeywordDefinition {
  return {
    keyword: "$work",
    schemaType: "object",
    // Everything that costs comes after it.
    before: "$ref",
    code({ gen, data, schema }) {
      const pay = gen.scopeValue("keyword", { ref: (value: unknown) => meter.spend(costFor(value, schema as Cost)) });
      gen.code(_`${pay}(${data})`);
    },
  };
}

function costFor(data: unknown, { once, perCharacter, perItem, perKey }: Cost): number {
  if (typeof data === "string") return once + data.length * perCharacter;
  if (perItem === 0 && perKey === 0) return once;
  if (Array.isArray(data)) return once + data.length * perItem;
  if (perKey === 0 || typeof data !== "object" || data === null) return once;
  let keys = 0;
  for (const _key in data) keys += 1;
  return once + keys * perKey;
}
