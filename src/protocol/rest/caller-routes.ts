import Type from "typebox";
import { roles } from "../../core/access.ts";
import type { RouteSpec } from "./route.ts";
import { oneOf, orNull } from "./words.ts";

const Caller = Type.Object({
  user: Type.String({ description: "Whom the token speaks for." }),
  role: oneOf(roles),
  rooms: orNull(Type.Array(Type.String(), { description: "The only rooms it is for." })),
  jobs: orNull(Type.Array(Type.String(), { description: "Patterns of the only jobs it is for." })),
});

export const callerRoutes = {
  getCaller: {
    id: "getCaller",
    method: "GET",
    path: "/me",
    tag: "callers",
    summary: "Read what the token may do",
    description: "What has no limit is null.",
    answers: {
      200: {
        description: "Whom it speaks for, and its limits.",
        schema: Caller,
        example: { user: "ada", role: "user", rooms: ["lab"], jobs: null },
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
