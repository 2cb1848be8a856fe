// Values by a JSON Schema: most of them fit, some just do not, some have nothing to do with it. Where the schema asks for
// an id there stands a mark, which is replaced by one that the server really gave when the request is sent.

import * as fc from "fast-check";
import type { Json, Schema } from "./described.ts";

type Values = fc.Arbitrary<Json>;

/** What a mark is replaced by is chosen once for each request, so that task, worker and lease may belong together. */
export const marks = ["task", "worker", "lease", "job", "spec", "room", "key", "other", "provider", "named"] as const;
export type Mark = (typeof marks)[number];
export const markOf = (mark: Mark): string => `\u00ab${mark}\u00bb`;

/** By the name of a field or parameter: what it most likely means. */
const meant: Readonly<Record<string, Mark>> = {
  task_id: "task",
  parent_id: "other",
  worker_id: "worker",
  lease_token: "lease",
  "leadhand-lease": "lease",
  job: "job",
  job_name: "job",
  spec_id: "spec",
  id: "spec",
  room_id: "room",
  provider_id: "provider",
  provider_name: "named",
  "idempotency-key": "key",
};

/** Values that lead somewhere, by the name of a field. */
const likely: Readonly<Record<string, readonly Json[]>> = {
  category: ["modifiers", "analysis"],
  content_type: ["text/plain", "application/octet-stream", "text", "a/b; c"],
  // Of the question without parameters.
  "x-request-hash": ["44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a", "h"],
  name: ["Rotate", "Scale", "a/b", "x:y", "Größe", "with space"],
  schema: [{}, { type: "object" }, { type: "object", properties: { angle: { type: "number" } } }],
  schema_: [{}, { type: "object" }],
  output: [{}, { type: "object" }],
  payload: [{}, { angle: 1 }, { angle: "x" }],
  // Jobs that are sent away leave nothing to claim.
  push: [null],
  queue: ["default", "slow"],
  labels: [{}, { gpu: "a" }],
  limit: [0, 1, 3, 5],
  offset: [0, 1],
  attempt: [1, 2],
  delay_seconds: [0, 0.5],
  level: ["debug", "info"],
  label: ["gpu=a", "x=", "=", "gpu"],
  room: ["lab", "@global"],
  "if-none-match": ["*", '"x"'],
  "if-match": ["*", "x"],
  severity: ["info", "error"],
  since: ["2026-01-01T00:00:00Z"],
  state: ["ONLINE", "OFFLINE"],
  total: [0, 1, 5],
};

/** Texts that have broken servers before. */
export const nastyTexts = [
  ..."../|..%2f|%00|%|%zz|%c0%af|@|:|::|a:b:c|@global|@internal|@global:modifiers:None|'|\"|\\|;drop table task".split(
    "|",
  ),
  ...["__proto__", "constructor", "toString", "null", "undefined", "NaN", "Infinity", "-0", "1e999", "true", "[]"],
  ...[
    "😀",
    "é",
    "e\u0301",
    "\u202e",
    "\ufeff",
    "\ufffd",
    "\u0000",
    "\u0001",
    "\r\n",
    "\n",
    "\t",
    " ",
    "\ud800",
    "\udc00x",
  ],
  ...["a".repeat(255), "a".repeat(256), "é".repeat(128), "x".repeat(4_000), "9".repeat(40), "-1", "0x10", "1.5"],
  ...["2026-02-30T00:00:00Z", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00+99:99"],
  "00000000-0000-0000-0000-000000000000",
  "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
];

const nastyNumbers = [0, -0, -1, 1.5, 1e21, 1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 31), 1e15];

const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);

const anything: Values = fc.oneof(
  { weight: 3, arbitrary: texts as Values },
  { weight: 2, arbitrary: fc.constantFrom(...nastyNumbers) as Values },
  { weight: 2, arbitrary: fc.constantFrom<Json>(null, true, false, [], {}, [[]], { a: { b: [1] } }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as Values },
);

/** One in sixty is not as the schema says. */
export function valuesBy(schema: Schema, name = ""): Values {
  return fc.oneof({ weight: 59, arbitrary: fitting(schema, name) }, { weight: 1, arbitrary: anything });
}

function fitting(schema: Schema, name: string): Values {
  const mark = meant[name];
  const plain = plainly(schema);
  const leading = likely[name];
  if (leading !== undefined)
    return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...leading) }, { weight: 1, arbitrary: plain });
  if (mark === undefined) return plain;
  return fc.oneof({ weight: 12, arbitrary: fc.constant(markOf(mark)) as Values }, { weight: 1, arbitrary: plain });
}

// biome-ignore lint/suspicious/noExplicitAny: a schema is walked as it comes.
type Loose = any;

function plainly(schema: Schema): Values {
  const said = schema as Loose;
  if (said.enum !== undefined) return fc.constantFrom<Json[]>(...said.enum);
  if (said.anyOf !== undefined) return fc.oneof(...said.anyOf.map((each: Schema) => valuesBy(each))) as Values;
  if (said.type === "object") return objectOf(said);
  if (said.type === "array")
    return fc.array(valuesBy(said.items), { minLength: said.minItems ?? 0, maxLength: 3 }) as Values;
  if (said.type === "integer" || said.type === "number") return numberOf(said);
  if (said.type === "boolean") return fc.boolean();
  if (said.type === "null") return fc.constant(null);
  if (said.type === "string") return textOf(said);
  return anything;
}

function objectOf({ properties, required = [], patternProperties, additionalProperties }: Loose): Values {
  if (properties === undefined) {
    const [each = additionalProperties ?? {}] = Object.values<Loose>(patternProperties ?? {});
    return fc.dictionary(texts, valuesBy(each), { maxKeys: 3 }) as Values;
  }
  const model = Object.fromEntries(Object.entries<Loose>(properties).map(([key, each]) => [key, valuesBy(each, key)]));
  const keys = Object.keys(properties);
  // Fields that may be left out mostly are; now and then one that must not be is too, or a strange one joins them.
  const some = fc.record({
    all: fc.record(model),
    kept: fc.array(fc.nat({ max: 2 }), { minLength: keys.length, maxLength: keys.length }),
    without: seldom(fc.constantFrom(...keys)),
    strange: seldom(fc.tuple(texts, anything)),
  });
  return some.map(({ all, kept, without, strange }) => {
    const members = keys
      .filter((key, nth) => (required.includes(key) ? key !== without : kept[nth] === 0))
      .map((key) => [key, all[key]]);
    return Object.fromEntries(strange === null ? members : [...members, strange]) as Json;
  });
}

function seldom<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 50, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}

/** Small numbers are the useful ones; the edges are looked at too. */
function numberOf({ minimum = -1_000, maximum = 1_000, exclusiveMinimum, type }: Loose): Values {
  const least = exclusiveMinimum ?? minimum;
  const small = fc.integer({ min: Math.max(0, least), max: Math.min(4, maximum) });
  const edges = fc.constantFrom(least, maximum, least - 1, maximum + 1, ...(type === "number" ? [0.5, 1e-9] : []));
  return fc.oneof({ weight: 12, arbitrary: small }, { weight: 1, arbitrary: edges }) as Values;
}

function textOf({ format, minLength = 0, maxLength = 12 }: Loose): Values {
  if (format === "uuid") {
    return fc.oneof(fc.uuid(), fc.constantFrom(markOf("task"), markOf("worker"), markOf("other"))) as Values;
  }
  if (format === "date-time") {
    const fair = fc.date({ min: new Date(1e12), max: new Date(3e12), noInvalidDate: true });
    return fair.map((at) => at.toISOString()) as Values;
  }
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength, maxLength: Math.min(maxLength, 12) }) },
    { weight: 1, arbitrary: texts },
  ) as Values;
}
