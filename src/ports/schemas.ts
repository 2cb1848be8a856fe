// Users' JSON Schemas. Both schema and payload come from strangers: an implementation bounds the work that either can
// cause, fetches nothing, and never changes a payload.

import type { FieldError } from "../core/problem.ts";

/**
 * What is wrong with a payload, by pointers into it; nothing if it fits. `share` is how much of the work that one check
 * may take this one may: all of it unless told. Of many payloads that come together each gets a part.
 */
export type Validator = (payload: unknown, share?: number) => readonly FieldError[];

export interface Schemas {
  /** Refuses a schema that cannot be used, with pointers under `/schema`. */
  check(schemaText: string): void;
  /** Cheap for a schema used before. Refuses what `check` refuses. */
  validator(schemaText: string): Validator;
}
