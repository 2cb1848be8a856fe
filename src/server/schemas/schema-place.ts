// Following references inside one schema document. Nothing is ever fetched: a reference leads to a place in the same
// document, or to the meta-schema of its dialect.

import { pointerStep } from "../../protocol/json-pointer.ts";
import { badPlace } from "./field-errors.ts";
import type { Dialect, MetaSchemas } from "./schema-dialects.ts";

export interface SchemaPlace {
  readonly node: unknown;
  /** Where it stands, for refusals. */
  readonly pointer: string;
  /** The nearest place above with an address of its own: what `#` means here. */
  readonly resource: SchemaPlace | null;
}

export function resourceOf(place: SchemaPlace): SchemaPlace {
  return place.resource ?? place;
}

export function stepInto(place: SchemaPlace, step: string | number): SchemaPlace | undefined {
  const { node } = place;
  if (typeof node !== "object" || node === null || !Object.hasOwn(node, step)) return undefined;
  const inner = (node as Record<string | number, unknown>)[step];
  const pointer = `${place.pointer}/${pointerStep(step)}`;
  return { node: inner, pointer, resource: hasAddress(inner) ? null : resourceOf(place) };
}

/** In draft-07 an `$id` that starts with `#` is only a name. */
function hasAddress(node: unknown): boolean {
  const id = typeof node === "object" && node !== null ? (node as { $id?: unknown }).$id : undefined;
  return typeof id === "string" && !id.startsWith("#");
}

export interface References {
  /** Where the reference that `from` holds leads. */
  follow(from: SchemaPlace, keyword: string): SchemaPlace;
}

export function references(root: SchemaPlace, dialect: Dialect, metas: MetaSchemas): References {
  const metaPlaces = new Map<object, SchemaPlace>();
  const names = new Map<unknown, ReadonlyMap<string, SchemaPlace>>();
  let innerAddress: boolean | undefined;

  function metaPlace(address: string): SchemaPlace | undefined {
    const node = metas.find(dialect, address);
    if (node === undefined) return undefined;
    const place = metaPlaces.get(node) ?? { node, pointer: "", resource: null };
    metaPlaces.set(node, place);
    return place;
  }

  function named(resource: SchemaPlace, name: string): SchemaPlace | undefined {
    const known = names.get(resource.node) ?? namesIn(resource);
    names.set(resource.node, known);
    return known.get(name);
  }

  return {
    follow(from, keyword) {
      const reference = (from.node as Readonly<Record<string, unknown>>)[keyword];
      const at = `${from.pointer}/${keyword}`;
      if (typeof reference !== "string") throw badPlace(at, "must be a text");
      const resource = resourceOf(from);
      const isMeta = metaPlaces.has(resource.node as object);
      if (isMeta && keyword === "$dynamicRef") return metaPlace(dialect.id) as SchemaPlace;
      if (!reference.startsWith("#")) {
        const place = metaPlace(isMeta ? new URL(reference, dialect.id).href : reference);
        if (place === undefined)
          throw badPlace(at, "leads out of this schema; only references such as #/$defs/x do not");
        return place;
      }
      // Within one resource a dynamic reference is a plain one.
      if (keyword === "$dynamicRef") innerAddress ??= hasInnerAddress(root);
      if (keyword === "$dynamicRef" && innerAddress) throw badPlace(at, "is not supported beside an inner $id");
      const fragment = decoded(reference.slice(1));
      const found =
        fragment === "" || fragment?.startsWith("/") ? walk(resource, fragment) : named(resource, fragment ?? "");
      if (found === undefined || !isSchema(found.node)) throw badPlace(at, "leads to no schema");
      return found;
    },
  };
}

function isSchema(node: unknown): boolean {
  return typeof node === "boolean" || (typeof node === "object" && node !== null && !Array.isArray(node));
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function walk(resource: SchemaPlace, pointer: string): SchemaPlace | undefined {
  let place: SchemaPlace | undefined = resource;
  for (const step of pointer.split("/").slice(1)) {
    place = place && stepInto(place, step.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return place;
}

function* placesBelow(place: SchemaPlace): Generator<SchemaPlace> {
  yield place;
  if (typeof place.node !== "object" || place.node === null) return;
  for (const key of Object.keys(place.node)) yield* placesBelow(stepInto(place, key) as SchemaPlace);
}

function namesIn(resource: SchemaPlace): ReadonlyMap<string, SchemaPlace> {
  const names = new Map<string, SchemaPlace>();
  for (const place of placesBelow(resource)) {
    if (typeof place.node !== "object" || place.node === null || resourceOf(place) !== resource) continue;
    const { $anchor, $dynamicAnchor, $id } = place.node as Record<string, unknown>;
    for (const name of [
      $anchor,
      $dynamicAnchor,
      typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : null,
    ]) {
      if (typeof name === "string" && !names.has(name)) names.set(name, place);
    }
  }
  return names;
}

function hasInnerAddress(root: SchemaPlace): boolean {
  for (const place of placesBelow(root)) if (place !== root && place.resource === null) return true;
  return false;
}
