// A user's schema into one that is safe to compile. Only known keywords are carried over, so that nothing Ajv may know
// beyond the dialect ($async, $data, nullable and others) is ever switched on by a stranger. What references lead to
// becomes a numbered definition, compiled once however it is spelled. And whatever may cost more than a constant gets
// the keyword `$work`, by which it pays the meter before it is done.

import { pointerStep } from "../../protocol/json-pointer.ts";
import { badPlace } from "./field-errors.ts";
import type { LinearPattern, LinearPatterns } from "./linear-pattern.ts";
import type { Dialect, KeywordKind, MetaSchemas } from "./schema-dialects.ts";
import { type SchemaPatterns, schemaPatterns } from "./schema-patterns.ts";
import { references, type SchemaPlace, stepInto } from "./schema-place.ts";
import { costOf } from "./schema-work.ts";

export interface TranslatedSchema {
  readonly schema: Record<string, unknown>;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
}

export interface TranslationParts {
  readonly dialect: Dialect;
  readonly metas: MetaSchemas;
  readonly patterns: LinearPatterns;
  /** Knows which formats are checked. */
  readonly formats: Readonly<Record<string, unknown>>;
  /** Checks the form of what a reference leads to: it may stand where the meta-schema does not look. */
  checkForm(place: SchemaPlace): void;
}

/** Compiling takes time by more than the number of subschemas. */
const subschemasMax = 1_000;

type Node = Readonly<Record<string, unknown>>;
type NewNode = Record<string, unknown>;

export function translateSchema(root: SchemaPlace, parts: TranslationParts): TranslatedSchema {
  const { dialect, formats } = parts;
  const links = references(root, dialect, parts.metas);
  const patterns = schemaPatterns(parts.patterns);
  const targets = targetList();
  let subschemas = 0;

  function count(place: SchemaPlace, more = 1): void {
    subschemas += more;
    if (subschemas > subschemasMax) throw badPlace(place.pointer, `is one of more than ${subschemasMax} subschemas`);
  }

  function translated(place: SchemaPlace): unknown {
    count(place);
    if (typeof place.node === "boolean") return place.node;
    const out: NewNode = {};
    for (const keyword of Object.keys(place.node as Node)) {
      const kind = dialect.keywords.get(keyword);
      if (kind === "reference") addLink(out, targets.linkTo(links.follow(place, keyword)));
      else if (kind === "value") addValue(out, place, keyword);
      else if (kind !== undefined) addInner(out, stepInto(place, keyword) as SchemaPlace, keyword, kind);
    }
    const cost = costOf(out);
    return cost === undefined ? out : { ...out, $work: cost };
  }

  function addValue(out: NewNode, place: SchemaPlace, keyword: string): void {
    const value = (place.node as Node)[keyword];
    if (keyword === "format" && !Object.hasOwn(formats, value as string)) return;
    if (keyword === "pattern") patterns.add(value as string, `${place.pointer}/pattern`);
    if (keyword === "dependentRequired") count(place, Object.keys(value as Node).length);
    out[keyword] = value;
  }

  function addInner(out: NewNode, inner: SchemaPlace, keyword: string, kind: KeywordKind): void {
    const { node } = inner;
    if (Array.isArray(node)) {
      const list = node.map((_, index) => translated(stepInto(inner, index) as SchemaPlace));
      out[keyword] = [...((out[keyword] as unknown[] | undefined) ?? []), ...list];
    } else if (kind === "map" || kind === "dependencies") addMap(out, inner, keyword);
    else out[keyword] = translated(inner);
  }

  function addMap(out: NewNode, inner: SchemaPlace, keyword: string): void {
    const names = Object.keys(inner.node as Node);
    if (keyword === "patternProperties")
      for (const name of names) patterns.add(name, `${inner.pointer}/${pointerStep(name)}`);
    const members = names.map((name) => {
      const place = stepInto(inner, name) as SchemaPlace;
      if (!Array.isArray(place.node)) return [name, translated(place)] as const;
      count(place);
      return [name, place.node] as const;
    });
    addMembers(out, keyword, Object.fromEntries(members), patterns);
  }

  const $ref = targets.linkTo(root);
  const definitions: unknown[] = [];
  for (const place of targets.places) {
    if (place !== root) parts.checkForm(place);
    definitions.push(translated(place));
  }
  return { schema: { $defs: Object.fromEntries(definitions.entries()), $ref }, patterns: patterns.all };
}

/** Places that references lead to, in the order they were met; the list grows while it is gone through. */
function targetList(): { readonly places: readonly SchemaPlace[]; linkTo(place: SchemaPlace): string } {
  const places: SchemaPlace[] = [];
  const numbers = new Map<unknown, number>();
  return {
    places,
    linkTo(place) {
      const number = numbers.get(place.node) ?? places.push(place) - 1;
      numbers.set(place.node, number);
      return `#/$defs/${number}`;
    },
  };
}

/** Two kinds of reference may stand side by side. */
function addLink(out: NewNode, $ref: string): void {
  if (out["$ref"] === undefined) out["$ref"] = $ref;
  else out["allOf"] = [...((out["allOf"] as unknown[] | undefined) ?? []), { $ref }];
}

/** Ajv looks away from a property called `__proto__`; as a pattern it is like any other. */
function addMembers(out: NewNode, keyword: string, members: Node, patterns: SchemaPatterns): void {
  const { ["__proto__"]: odd, ...others } = members;
  out[keyword] = { ...(out[keyword] as Node | undefined), ...others };
  if (odd === undefined || (keyword !== "properties" && keyword !== "patternProperties")) return;
  const source = keyword === "properties" ? "^__proto__$" : "(?:__proto__)";
  patterns.add(source, "/schema");
  out["patternProperties"] = { ...(out["patternProperties"] as Node | undefined), [source]: odd };
}
