// The two dialects and what their keywords hold. A keyword that is not here is a remark, whatever else Ajv may know by
// that name.

import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compareByHash } from "./same-json.ts";
import { workMeter } from "./work-meter.ts";

/** A plain value, a schema, a list or a map of schemas, or one of several; `reference` leads elsewhere. */
export type KeywordKind = "value" | "schema" | "list" | "map" | "schema-or-list" | "dependencies" | "reference";

export interface Dialect {
  readonly id: string;
  readonly keywords: ReadonlyMap<string, KeywordKind>;
  create(options: Options): Ajv;
}

const shared: Readonly<Record<KeywordKind, readonly string[]>> = {
  value: [
    ...["type", "enum", "const", "required", "format", "pattern", "minLength", "maxLength"],
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
    ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
  ],
  schema: ["not", "if", "then", "else", "contains", "additionalProperties", "propertyNames"],
  list: ["allOf", "anyOf", "oneOf"],
  map: ["properties", "patternProperties"],
  "schema-or-list": [],
  dependencies: ["dependencies"],
  reference: ["$ref"],
};

const draft07: Dialect = {
  id: "http://json-schema.org/draft-07/schema",
  keywords: keywordTable({ schema: ["additionalItems"], "schema-or-list": ["items"] }),
  create: (options) => new Ajv(options),
};

const draft2020: Dialect = {
  id: "https://json-schema.org/draft/2020-12/schema",
  keywords: keywordTable({
    value: ["minContains", "maxContains", "dependentRequired"],
    schema: ["items", "unevaluatedItems", "unevaluatedProperties"],
    list: ["prefixItems"],
    map: ["dependentSchemas"],
    reference: ["$dynamicRef"],
  }),
  create: (options) => new Ajv2020(options) as Ajv,
};

function keywordTable(more: Partial<Record<KeywordKind, readonly string[]>>): ReadonlyMap<string, KeywordKind> {
  const kinds = Object.keys(shared) as KeywordKind[];
  return new Map(kinds.flatMap((kind) => [...shared[kind], ...(more[kind] ?? [])].map((name) => [name, kind])));
}

/** The dialect that `$schema` names, if it is known; the newest where it names none. */
export function dialectOf(schema: unknown): Dialect | undefined {
  const named = typeof schema === "object" && schema !== null ? (schema as { $schema?: unknown }).$schema : undefined;
  if (named === undefined) return draft2020;
  if (typeof named !== "string") return undefined;
  const id = named.replace(/#$/, "").replace(/^https?:/, "");
  return [draft07, draft2020].find((dialect) => dialect.id.replace(/^https?:/, "") === id);
}

export interface MetaSchemas {
  /** Checks a schema of the dialect for its form. */
  checkOf(dialect: Dialect): ValidateFunction;
  /** The meta-schema of that address, if it is one of the dialect. */
  find(dialect: Dialect, address: string): object | undefined;
}

/** Made when first asked: building them takes some milliseconds. */
export function metaSchemas(): MetaSchemas {
  const made = new Map<Dialect, Ajv>();

  function validateBy(dialect: Dialect, address: string): ValidateFunction | undefined {
    const known = made.get(dialect);
    if (known !== undefined) return known.getSchema(address);
    const ajv = dialect.create({ strict: false, logger: false, validateFormats: false });
    // A schema is small enough to be looked at once, but not for comparing each value of an enum with each.
    const meter = workMeter();
    meter.allow(Number.POSITIVE_INFINITY);
    compareByHash(ajv, meter);
    made.set(dialect, ajv);
    return ajv.getSchema(address);
  }

  return {
    checkOf: (dialect) => validateBy(dialect, dialect.id) as ValidateFunction,
    find(dialect, address) {
      const folder = dialect.id.replace(/schema$/, "");
      if (!address.startsWith(folder)) return undefined;
      const schema = validateBy(dialect, address.replace(/#$/, ""))?.schema;
      return typeof schema === "object" ? schema : undefined;
    },
  };
}
