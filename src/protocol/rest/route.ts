// How a route is described: once, for the door that serves it and for the OpenAPI document.

import type { TSchema } from "typebox";
import type { ProblemCode } from "../../core/problem.ts";

export interface RouteSpec {
  /** Names the route in code and is its `operationId`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the prefix. `{name+}` takes the rest of the path up to what follows it. */
  readonly path: string;
  readonly tag:
    | "jobs"
    | "specs"
    | "tasks"
    | "workers"
    | "providers"
    | "nodes"
    | "callers"
    | "control"
    | "fleet"
    | "statistics";
  readonly summary: string;
  readonly description?: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly headers?: TSchema;
  /** Absent: the route takes no body, and does not look at one. */
  readonly body?: TSchema;
  /** Instead of `body`: it is taken as it comes, whatever it is. */
  readonly bytes?: true;
  /** A request without a body is taken for one that says `{}`. */
  readonly bodyOptional?: true;
  /** Whoever has the lease token of an attempt may ask, and needs no other. */
  readonly byLease?: true;
  /** Anybody may ask. */
  readonly open?: true;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Beside those that any route may answer with. */
  readonly problems: readonly ProblemCode[];
  /** An example of the body. */
  readonly example?: unknown;
}

export interface AnswerSpec {
  readonly description: string;
  /** Absent: no body. */
  readonly schema?: TSchema;
  /** Instead of `application/json`. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

/** What any route may answer with: who asks, how, how often, and whether the server can work now. */
export const commonProblems: readonly ProblemCode[] = [
  "unauthorized",
  "forbidden",
  "invalid-request",
  "payload-too-large",
  "rate-limited",
  "keys-unavailable",
  "store-unavailable",
  "store-full",
  "clock-skew",
  "stopping",
];

/** The last segments of a greedy path, which are matched before the plain route. */
export function greedySuffix({ path }: Pick<RouteSpec, "path">): string {
  return path.includes("+}") ? path.slice(path.indexOf("+}") + 2) : "";
}
