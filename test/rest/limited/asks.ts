// Every route of the server as questions about some names: each place of a path with each name that fits it, each parameter of a
// query by itself, and the example of its body with these names in it. A route that is added is asked without a word here.

import { fleetRouteList } from "../../../src/protocol/fleet/routes.ts";
import type { RouteSpec } from "../../../src/protocol/rest/route.ts";
import { routeList } from "../../../src/protocol/rest/routes.ts";
import type { Names } from "./vault.ts";

export interface Ask {
  readonly route: string;
  readonly method: RouteSpec["method"];
  readonly target: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is asked for in words that are nobody's: it need not be named. */
const words: Names = {
  ...{ window: ["1h", "30d"], sort: ["tasks"], limit: ["1"], offset: ["1"], status: ["failed"], state: ["ONLINE"] },
  ...{
    severity: ["error"],
    kind: ["task", "session"],
    since: ["2020-01-01T00:00:00Z"],
    before: ["2120-01-01T00:00:00Z"],
  },
  ...{ payloads: ["false"], logs: ["true"], logs_from: ["0"], attempt: ["1"], find_deleted: ["true"] },
  findDeleted: ["true"],
};

/** Of a list by pages, which begins where another one ended. */
const unasked = ["cursor"];

export function asksAbout(names: Names): readonly Ask[] {
  const below = (prefix: string, all: readonly RouteSpec[]) => all.flatMap((spec) => asksOf(prefix, spec, names));
  return [...below("/v1", routeList), ...below("", fleetRouteList)];
}

function asksOf(prefix: string, spec: RouteSpec, names: Names): Ask[] {
  const queries = spec.method === "GET" ? queriesOf(spec, names) : [requiredQuery(spec)];
  return pathsOf(spec.path, names).flatMap((path) =>
    queries.map((query) => ({
      ...{ route: spec.id, method: spec.method, target: `${prefix}${path}${query}` },
      ...{ body: bodyOf(spec, names), headers: spec.bytes === true ? { "x-request-hash": "00".repeat(32) } : {} },
    })),
  );
}

/** Every combination of names. */
function pathsOf(path: string, names: Names): string[] {
  const [place, name] = /\{(\w+)\+?\}/.exec(path) ?? [];
  if (place === undefined || name === undefined) return [path];
  const values = names[name];
  if (values === undefined) throw new Error(`Say what {${name}} of ${path} is`);
  return values.flatMap((value) =>
    pathsOf(
      path.replace(place, () => encodeURIComponent(value)),
      names,
    ),
  );
}

function queriesOf({ query, id }: RouteSpec, names: Names): string[] {
  const properties = Object.keys((query as { properties?: object } | undefined)?.properties ?? {});
  const each = properties
    .filter((name) => !unasked.includes(name))
    .flatMap((name) => {
      const values = names[name] ?? words[name];
      if (values === undefined) throw new Error(`Say what ?${name}= of ${id} is`);
      return values.map((value) => `?${name}=${encodeURIComponent(value)}`);
    });
  return ["", ...each];
}

function requiredQuery({ query }: RouteSpec): string {
  const { required = [] } = (query ?? {}) as { readonly required?: readonly string[] };
  return required.length === 0 ? "" : `?${required.map((name) => `${name}=${words[name]?.[0]}`).join("&")}`;
}

/** Where a name fits it stands instead of the example's. */
function bodyOf({ body, example, bytes }: RouteSpec, names: Names): string | undefined {
  if (bytes === true) return "mine";
  if (body === undefined) return undefined;
  return JSON.stringify(withNames(example ?? {}, names));
}

const aliases: Readonly<Record<string, string>> = {
  workerUuid: "worker_id",
  jobId: "task_id",
  functionBlock: "job_name",
};

function withNames(value: unknown, names: Names, within = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withNames(item, names, within));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => {
      const meant = key === "id" && within === "results" ? "task_id" : (aliases[key] ?? key);
      const [name] = typeof held === "string" ? (names[meant] ?? []) : [];
      return [key, name ?? withNames(held, names, key)];
    }),
  );
}
