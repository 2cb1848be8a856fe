// Words that many bodies share.

import Type, { type Static, type TObjectOptions, type TSchema } from "typebox";
import { nameBytesMax } from "../../core/name.ts";
import { finalStates, openStates } from "../../core/task-row.ts";

export const Uuid = Type.String({ format: "uuid" });
export const Time = Type.String({ format: "date-time", description: "UTC, with `Z` and milliseconds." });
export const AnyObject = Type.Record(Type.String(), Type.Unknown());

/** Names of any characters: the usual pattern for "any" stops at a line break, and what stands under it goes unchecked. */
const AnyKey = Type.String({ pattern: "^[\\s\\S]*$" });

/** An object whose names are the caller's. */
export function mapOf<T extends TSchema>(value: T, options: TObjectOptions = {}) {
  return Type.Record(AnyKey, value, options);
}

export function orNull<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** One of some texts. Written as `enum`, which people and generators of clients read more easily than a union. */
export function oneOf<const T extends readonly string[]>(values: T, about: { readonly description?: string } = {}) {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...about });
}

export const Status = oneOf([...openStates, ...finalStates] as const);

export const RoomPath = Type.Object({ room_id: Type.String({ description: "`@global`, `@internal` or any name." }) });

/** Full names may hold slashes: the rest of the path belongs to them. */
export const JobName = Type.String({ description: "Full name, `room:category:name`; may hold `/`." });

export const Name = Type.String({ minLength: 1, maxLength: nameBytesMax });

export const pageMax = 500;

export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 0, maximum: pageMax, default: 50, description: "0 asks for the total alone." }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
});

export const Find = Type.Optional(
  Type.String({
    maxLength: nameBytesMax,
    description: "Only jobs that have this in their full name, in any case of letters.",
  }),
);

export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Array(item),
    total: Type.Integer({ description: "Of all that match, exact up to 10,000." }),
    total_exact: Type.Boolean(),
    limit: Type.Integer(),
    offset: Type.Integer(),
  });
}

export const FieldFault = Type.Object({ pointer: Type.String({ description: "RFC 6901." }), detail: Type.String() });

export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: "`/v1/problems/` and the problem's code." }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    errors: Type.Optional(Type.Array(FieldFault)),
  },
  { description: "RFC 9457." },
);

export const PreferHeader = Type.Object({
  prefer: Type.Optional(Type.String({ description: "`wait=N`: wait up to N seconds, at most 60." })),
});

export const IdempotencyHeader = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: nameBytesMax,
      description: "The same key and body within 24 hours get the first answer again.",
    }),
  ),
});

/** Of a count: it is kept as long as its task is open, and has no answer of its own. */
export const CountKeyHeader = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: nameBytesMax,
      description: "The same key and body count once, as long as the task is open.",
    }),
  ),
});

export type PageOf = Static<typeof PageQuery>;
