import Type from "typebox";
import { roles } from "../../core/access.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { Name, oneOf, orNull, PageQuery, pageOf, Time } from "./words.ts";

/** Codes are nobody's to look at: they are gone in minutes. */
const kinds = ["api", "session"] as const;

const listMax = 100;
const Rooms = Type.Array(Type.String(), {
  maxItems: listMax,
  description: "The only rooms it is for; null: every room.",
});
const Jobs = Type.Array(Type.String(), {
  maxItems: listMax,
  description: "Patterns of the only jobs it is for, with `*` for any characters; null: every job.",
});

const Token = Type.Object({
  id: Type.String(),
  kind: oneOf(kinds),
  name: orNull(Type.String({ description: "What it is for." })),
  user: Type.String({ description: "Whom it speaks for." }),
  role: oneOf(roles),
  rooms: orNull(Type.Array(Type.String())),
  jobs: orNull(Type.Array(Type.String())),
  created_at: Time,
  expires_at: orNull(Time),
  revoked_at: orNull(Time),
  parent_id: orNull(Type.String({ description: "The token that a session came of." })),
});

const example = {
  ...{ id: "5f2b8c0d1e3a4f67", kind: "api", name: "nightly", user: "ada", role: "user", rooms: ["lab"], jobs: null },
  created_at: "2026-01-31T12:34:56.789Z",
  expires_at: "2026-05-01T12:34:56.789Z",
  ...{ revoked_at: null, parent_id: null },
};

/** A century: nobody means more. */
const secondsMax = 3_155_760_000;

export const tokenRoutes = {
  listTokens: {
    id: "listTokens",
    method: "GET",
    path: "/tokens",
    tag: "callers",
    summary: "List tokens, or sessions",
    description: "Those that were revoked or have expired too; sessions for a day after their end. For superusers.",
    query: Type.Object({
      kind: Type.Unsafe<(typeof kinds)[number]>({ ...oneOf(kinds), default: "api" }),
      ...PageQuery.properties,
    }),
    answers: {
      200: { description: "A page of tokens, newest first.", schema: pageOf(Token), example: examples.page(example) },
    },
    problems: [],
  },
  createToken: {
    id: "createToken",
    method: "POST",
    path: "/tokens",
    tag: "callers",
    summary: "Make a token",
    description: "An admin may do everything, and takes neither rooms nor jobs. For superusers.",
    body: Type.Object({
      name: Type.Optional(orNull(Name)),
      user: Name,
      role: oneOf(roles),
      rooms: Type.Optional(orNull(Rooms)),
      jobs: Type.Optional(orNull(Jobs)),
      expires_seconds: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: secondsMax }))),
    }),
    example: { name: "nightly", user: "ada", role: "user", rooms: ["lab"], expires_seconds: 7_776_000 },
    answers: {
      201: {
        description: "The token. `token` is the secret itself, shown this once.",
        schema: Type.Object({ ...Token.properties, token: Type.String() }),
        example: { ...example, token: "lh_6Yk0Qm3sB9t1nC4vX7zL2pR5wD8fH0jK3gT6yU9eIoA" },
      },
    },
    problems: ["invalid-room-id"],
  },
  revokeToken: {
    id: "revokeToken",
    method: "DELETE",
    path: "/tokens/{token_id}",
    tag: "callers",
    summary: "Revoke a token, or a session",
    description:
      "At once on this server, elsewhere within five seconds; sessions that came of it end too. One that was revoked before " +
      "stays revoked since then. For superusers.",
    params: Type.Object({ token_id: Type.String({ maxLength: 255 }) }),
    answers: { 204: { description: "It is revoked." } },
    problems: ["token-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
