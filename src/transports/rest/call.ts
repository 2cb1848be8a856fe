// One request as handlers see it, and what they answer.

import type { Static, TSchema } from "typebox";
import type { Principal } from "../../core/access.ts";
import type { RouteSpec } from "../../protocol/rest/route.ts";
import type { RouteId, routes } from "../../protocol/rest/routes.ts";

type Part<S, K extends "params" | "query" | "headers" | "body"> =
  S extends Record<K, infer T extends TSchema> ? Static<T> : undefined;

export interface Call<S = RouteSpec> {
  readonly who: Principal;
  readonly params: Part<S, "params">;
  readonly query: Part<S, "query">;
  readonly headers: Part<S, "headers">;
  readonly body: Part<S, "body">;
  /** The body as it came, for parts that are passed on as they are. */
  readonly text: string;
  /** The body of a route that takes bytes. */
  readonly bytes: Uint8Array;
  /** The query as it came, without the question mark. */
  readonly search: string;
  /** Where the route is mounted. */
  readonly prefix: string;
  visit(): Visit;
  /** Made on first use: aborts when the caller hangs up, or when the server stops. */
  signal(): AbortSignal;
}

/** How a caller came: for the routes by which people sign in and out. */
export interface Visit {
  readonly address: string;
  /** Whether browsers see this server over TLS, and below which path. */
  readonly secure: boolean;
  readonly prefix: string;
  /** The id of the session whose cookie was shown; null where it was none. */
  readonly session: string | null;
  /** The token that was shown. */
  readonly bearer: string | null;
}

export interface Answer {
  readonly status: number;
  /** JSON text; absent: no body. */
  readonly json?: string;
  /** Instead of `json`. */
  readonly bytes?: Uint8Array;
  /** Instead of `application/json`. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of `json`: a body that goes on until the caller or the source ends it. */
  readonly stream?: AsyncIterable<string>;
}

export type Handler<S> = (call: Call<S>) => Promise<Answer>;

/** For each of some described routes. */
export type HandlersOf<Routes> = { readonly [Id in keyof Routes]: Handler<Routes[Id]> };

export type Handlers<Ids extends RouteId = RouteId> = HandlersOf<Pick<typeof routes, Ids>>;

export function json(status: number, value: unknown, headers?: Answer["headers"]): Answer {
  return { status, json: JSON.stringify(value), ...(headers && { headers }) };
}
