// What can be asked of the server, as types: they are made from the same descriptions as the OpenAPI document, so a page
// that asks for something the document does not have does not compile. Nothing of this is in the bundle.

import type { Static, TSchema } from "typebox";
import type { routes } from "../../../src/protocol/rest/routes.ts";

type AnyRoute = (typeof routes)[keyof typeof routes];

/** As in `GET /tasks/{task_id}`. */
export type RouteName = { [K in keyof typeof routes]: NameOf<(typeof routes)[K]> }[keyof typeof routes];

type NameOf<R> = R extends { method: infer M extends string; path: infer P extends string } ? `${M} ${P}` : never;

type RouteOf<N extends RouteName> = Extract<
  AnyRoute,
  N extends `${infer M} ${infer P}` ? { method: M; path: P } : never
>;

type PartOf<R, K extends string> = R extends Record<K, infer T extends TSchema> ? Static<T> : never;

/** What has a default in the description may be left out by us. */
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

export type Params<N extends RouteName> = PartOf<RouteOf<N>, "params">;
export type Query<N extends RouteName> = Loose<PartOf<RouteOf<N>, "query">>;
export type Body<N extends RouteName> = PartOf<RouteOf<N>, "body">;

type Answers<N extends RouteName> = RouteOf<N>["answers"];
type AnswerOf<A> = {
  [S in keyof A]: A[S] extends { schema: infer T extends TSchema } ? Static<T> : undefined;
}[keyof A];
export type Answer<N extends RouteName> = AnswerOf<Answers<N>>;

/** One item of a route that answers with a list. */
export type Item<N extends RouteName> = Answer<N> extends { items: readonly (infer T)[] } ? T : never;

export interface Ask<N extends RouteName = RouteName> {
  readonly route: N;
  readonly params?: Params<N>;
  readonly query?: Query<N>;
  readonly body?: Body<N>;
}
