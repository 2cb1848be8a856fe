// Routes as the router knows them. Names of jobs may hold slashes, so their routes share one wildcard; which of them is
// meant is told by the end of the path, and the plain one is tried last.

import { greedySuffix, type RouteSpec } from "../../protocol/rest/route.ts";

type Params = Record<string, string>;

export interface Endpoint {
  readonly method: RouteSpec["method"];
  readonly url: string;
  readonly takesBytes: boolean;
  /** The route that is meant, with its parameters; ids are lower case from here on. Null where none is. */
  choose(params: Params): { readonly id: string; readonly params: Params } | null;
  readonly byLease: boolean;
  readonly open: boolean;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export function endpointsOf(specs: readonly RouteSpec[]): Endpoint[] {
  const groups = new Map<string, RouteSpec[]>();
  for (const spec of specs) {
    const key = `${spec.method} ${urlOf(spec)}`;
    groups.set(key, [...(groups.get(key) ?? []), spec]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [RouteSpec];
    const isGreedy = first.path.includes("+}");
    const bySuffix = isGreedy ? group.map(greedyOf).sort((a, b) => b.suffix.length - a.suffix.length) : [];
    return {
      method: first.method,
      url: urlOf(first),
      byLease: first.byLease === true,
      open: first.open === true,
      takesBytes: group.some(({ bytes }) => bytes === true),
      choose: isGreedy
        ? (params) => greedyChoice(bySuffix, params)
        : (params) => ({ id: first.id, params: lowered(params) }),
    };
  });
}

/** For each path, the methods that have no route there. */
export function otherMethods(endpoints: readonly Endpoint[]) {
  const urls = [...new Set(endpoints.map(({ url }) => url))];
  return urls.map((url) => {
    const here = endpoints.filter((each) => each.url === url).map(({ method }) => method);
    return { url, methods: methods.filter((each) => !here.includes(each)) };
  });
}

/** What may be asked of a path; of one with a wildcard that depends on its end. */
export function allowedAt(endpoints: readonly Endpoint[], url: string, params: Params): string[] {
  const here = endpoints.filter((each) => each.url === url && each.choose(params) !== null);
  return here.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

function urlOf({ path }: RouteSpec): string {
  return path.replace(/\{\w+\+\}.*$/, "*").replaceAll(/\{(\w+)\}/g, ":$1");
}

interface Greedy {
  readonly id: string;
  /** Of the parameter that takes all of the path but the suffix. */
  readonly name: string;
  readonly suffix: string;
}

function greedyOf(spec: RouteSpec): Greedy {
  const name = /\{(\w+)\+\}/.exec(spec.path)?.[1] as string;
  return { id: spec.id, name, suffix: greedySuffix(spec) };
}

function greedyChoice(routes: readonly Greedy[], given: Params) {
  const { "*": rest = "" } = given;
  const route = routes.find(({ suffix }) => rest.endsWith(suffix) && rest.length > suffix.length);
  const meant = route ?? (routes.at(-1) as Greedy);
  // A path that only has routes with an end of their own has nothing else below it.
  if (route === undefined && meant.suffix !== "") return null;
  const { id, name, suffix } = meant;
  const params: Params = {};
  for (const key in given) if (key !== "*") params[key] = given[key] as string;
  params[name] = rest.slice(0, rest.length - suffix.length);
  return { id, params };
}

function lowered(params: Params): Params {
  const all: Params = {};
  for (const name in params) {
    const value = params[name] as string;
    all[name] = name === "room_id" || name === "queue" ? value : value.toLowerCase();
  }
  return all;
}
