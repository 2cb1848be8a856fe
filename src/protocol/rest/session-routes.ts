import Type from "typebox";
import { roles } from "../../core/access.ts";
import type { RouteSpec } from "./route.ts";
import { oneOf, orNull, Time, Uuid } from "./words.ts";

const Session = Type.Object({
  user: Type.String({ description: "Whom it speaks for." }),
  role: oneOf(roles),
  rooms: orNull(Type.Array(Type.String(), { description: "The only rooms it is for." })),
  jobs: orNull(Type.Array(Type.String(), { description: "Patterns of the only jobs it is for." })),
  expires_at: orNull(Time),
  csrf: orNull(
    Type.String({ description: "What changes need as the header `X-Leadhand-Csrf`. Null where a token was shown." }),
  ),
  server: Type.Object({ version: Type.String(), node_id: Uuid }),
});

const example = {
  ...{ user: "ada", role: "user", rooms: ["lab"], jobs: null, expires_at: "2026-02-01T00:34:56.789Z" },
  csrf: "uJrTqY1m0e7cYc0oL1wq3g8vV2m5x9Zk4Jb6nD7aQhE",
  server: { version: "0.1.0", node_id: "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5" },
};

/** A JWT with many claims has two or three thousand characters. */
const Secret = Type.String({ minLength: 1, maxLength: 8_192 });

const cookie = { "Set-Cookie": "The session, for this browser alone: `HttpOnly`, `SameSite=Strict`." };

export const sessionRoutes = {
  beginSession: {
    id: "beginSession",
    method: "POST",
    path: "/session",
    tag: "callers",
    summary: "Sign in with a browser",
    description:
      "With a token, or with a code, which is good once. The session has the rights of what was shown, ends with it, and " +
      "after 12 hours at the latest. Needs no token. A page of another site is refused; tries that fail are limited by address.",
    open: true,
    body: Type.Object({
      token: Type.Optional(Secret),
      code: Type.Optional(Secret),
    }),
    example: { code: "lhc_6Yk0Qm3sB9t1nC4vX7zL2pR5wD8fH0jK3gT6yU9eIoA" },
    answers: { 200: { description: "The session.", schema: Session, example, headers: cookie } },
    problems: [],
  },
  readSession: {
    id: "readSession",
    method: "GET",
    path: "/session",
    tag: "callers",
    summary: "Read who is signed in",
    description: "With a token instead of a session it says what the token may do.",
    answers: { 200: { description: "The session, or the token as one.", schema: Session, example } },
    problems: [],
  },
  endSession: {
    id: "endSession",
    method: "DELETE",
    path: "/session",
    tag: "callers",
    summary: "Sign out",
    description: "The session ends, on every server within five seconds. Tokens are not ended here: that is 403.",
    answers: { 204: { description: "It has ended.", headers: { "Set-Cookie": "Removes the session's cookie." } } },
    problems: [],
  },
  createCode: {
    id: "createCode",
    method: "POST",
    path: "/session/codes",
    tag: "callers",
    summary: "Make a code to sign in with",
    description:
      "For a link to the dashboard, `/ui/#code=…`: what stands behind `#` is sent to no server and stands in no log. The code is " +
      "good once, for ten minutes, and its session has the rights of the caller, and ends with what the caller showed.",
    answers: {
      201: {
        description: "The code, this once.",
        schema: Type.Object({ code: Type.String(), expires_at: Time }),
        example: { code: "lhc_6Yk0Qm3sB9t1nC4vX7zL2pR5wD8fH0jK3gT6yU9eIoA", expires_at: "2026-01-31T12:44:56.789Z" },
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
