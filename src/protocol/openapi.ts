// The OpenAPI document, printed from the descriptions that the door itself checks requests by.

import type { TSchema } from "typebox";
import { type ProblemCode, problems } from "../core/problem.ts";
import { fleetRouteList } from "./fleet/routes.ts";
import { type AnswerSpec, commonProblems, type RouteSpec } from "./rest/route.ts";
import { routeList } from "./rest/routes.ts";
import { ProblemBody } from "./rest/words.ts";

export interface OpenApiOptions {
  readonly version: string;
  /** Where the routes are mounted. */
  readonly prefix: string;
}

type Json = Readonly<Record<string, unknown>>;

const problemType = "application/problem+json";

export function openApi({ version, prefix }: OpenApiOptions): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const spec of [...routeList, ...fleetRouteList]) {
    const path = mountedPath(spec, prefix);
    paths[path] = { ...paths[path], [spec.method.toLowerCase()]: operation(spec) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Leadhand",
      version,
      description: "A job server for fleets of workers. A task accepted with 2xx is never lost.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }, { session: [] }],
    tags: [
      { name: "jobs", description: "Named definitions, with a schema for their payloads." },
      { name: "specs", description: "What jobs take and answer: the status quo, and what workers announce." },
      { name: "tasks", description: "Runs of a job." },
      { name: "workers", description: "Processes that do jobs." },
      { name: "control", description: "What operators do to the fleet." },
      { name: "statistics", description: "What was counted, and which failures are alike." },
      { name: "nodes", description: "The servers themselves." },
      { name: "callers", description: "Who asks." },
      { name: "providers", description: "Workers that answer questions." },
      { name: "fleet", description: "Worker management at the root, in the words of its own document." },
    ],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token, or a JWT." },
        session: {
          ...{ type: "apiKey", in: "cookie", name: "leadhand_…" },
          description: "A session; the cookie's name is another for each database. Changes need `X-Leadhand-Csrf` too.",
        },
      },
      schemas: { Problem: ProblemBody },
      responses: Object.fromEntries(statuses().map((status) => [`Problem${status}`, problemResponse(status)])),
    },
  };
}

/** Routes of the fleet are at the root; all others are below the prefix. */
export function mountedPath({ tag, path }: Pick<RouteSpec, "tag" | "path">, prefix: string): string {
  return (tag === "fleet" ? "" : prefix) + path.replaceAll("+}", "}");
}

function operation(spec: RouteSpec): Json {
  return {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    ...(spec.description !== undefined && { description: spec.description }),
    parameters: [
      ...parameters(spec.params, "path"),
      ...parameters(spec.query, "query"),
      ...parameters(spec.headers, "header"),
    ],
    ...(spec.body !== undefined && { requestBody: requestBody(spec) }),
    ...(spec.bytes === true && { requestBody: { content: { "*/*": { schema: {} } } } }),
    ...(spec.open === true && { security: [] }),
    responses: { ...answers(spec.answers), ...problemAnswers(spec) },
  };
}

function parameters(schema: TSchema | undefined, place: "path" | "query" | "header"): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...about }]) => ({
    ...{ name, in: place, schema: about },
    // What has a default may be left out.
    required: place === "path" || (required.includes(name) && !("default" in about)),
    ...(description !== undefined && { description }),
  }));
}

function requestBody({ body, bodyOptional, example }: RouteSpec): Json {
  const content = { schema: body, ...(example !== undefined && { example }) };
  return { required: bodyOptional !== true, content: { "application/json": content } };
}

function answers(specs: Readonly<Record<number, AnswerSpec>>): Json {
  return Object.fromEntries(Object.entries(specs).map(([status, spec]) => [status, answer(spec)]));
}

function answer({ description, schema, type = "application/json", headers, example }: AnswerSpec): Json {
  const content = schema && { content: { [type]: { schema, ...(example !== undefined && { example }) } } };
  const sent = headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, said]) => [name, { description: said, schema: { type: "string" } }]),
    ),
  };
  return { description, ...content, ...sent };
}

/** By status: which problems a route may answer with. */
export function problemsOf(spec: Pick<RouteSpec, "problems">): ReadonlyMap<number, readonly ProblemCode[]> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set([...spec.problems, ...commonProblems])) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function problemAnswers(spec: RouteSpec): Json {
  return Object.fromEntries(
    [...problemsOf(spec)].map(([status]) => [status, { $ref: `#/components/responses/Problem${status}` }]),
  );
}

function statuses(): number[] {
  return [...new Set(Object.values(problems).map(({ status }) => status))].sort((a, b) => a - b);
}

function problemResponse(status: number): Json {
  const codes = (Object.keys(problems) as ProblemCode[]).filter((code) => problems[code].status === status);
  const [first] = codes as [ProblemCode];
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    content: {
      [problemType]: {
        schema: { $ref: "#/components/schemas/Problem" },
        example: { type: `/v1/problems/${first}`, title: problems[first].title, status, detail: "…" },
      },
    },
  };
}
