// The REST door: every route of src/protocol/rest below one prefix. The order of checks is the documents': whether the
// body is JSON, the room of a write, who asks, the fields, and then whatever the desk says.

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../core/access.ts";
import { callerGone } from "../../core/caller-gone.ts";
import { checkRoom } from "../../core/name.ts";
import { badField, Problem } from "../../core/problem.ts";
import type { Desks } from "../../engine/desks/desks.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { jsonTextOf, readJson } from "../../protocol/json-text.ts";
import type { RouteSpec } from "../../protocol/rest/route.ts";
import { routeList } from "../../protocol/rest/routes.ts";
import type { Answer, Call, Handlers } from "./call.ts";
import { type Endpoint, endpointsOf, otherMethods } from "./endpoints.ts";
import { alertHandlers } from "./handlers/alerts.ts";
import { callbackHandlers } from "./handlers/callbacks.ts";
import { callerHandlers } from "./handlers/callers.ts";
import { jobHandlers } from "./handlers/jobs.ts";
import { nodeHandlers } from "./handlers/nodes.ts";
import { type ProviderWaits, providerHandlers } from "./handlers/providers.ts";
import { specHandlers } from "./handlers/specs.ts";
import { submitHandlers } from "./handlers/submits.ts";
import { taskHandlers } from "./handlers/tasks.ts";
import { workerHandlers } from "./handlers/workers.ts";
import { type PartCheck, partCheck } from "./request-check.ts";

export interface RestDoorOptions {
  readonly desks: Desks;
  readonly clock: Clock;
  readonly log: Log;
  readonly jsonDepthMax: number;
  readonly waitSecondsMax: number;
  readonly providerWaits: ProviderWaits;
  /** Of routes that take bytes. */
  readonly uploadBytesMax: number;
  /** Who asks, or why nobody does. Decided before the body is read. */
  who(request: FastifyRequest): Principal | Problem;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

type AnyHandler = (call: Call) => Promise<Answer>;

interface Route {
  readonly spec: RouteSpec;
  readonly handle: AnyHandler;
  readonly checks: { readonly [K in "params" | "query" | "headers" | "body"]: PartCheck | null };
}

export function restDoor(app: FastifyInstance, options: RestDoorOptions): void {
  const { desks, clock, waitSecondsMax } = options;
  const waiting = new Set<AbortController>();
  options.stopping.addEventListener("abort", () => {
    for (const controller of waiting) controller.abort("stopping");
  });
  const handlers: Handlers = {
    ...workerHandlers(desks),
    ...alertHandlers(desks),
    ...jobHandlers(desks),
    ...specHandlers(desks),
    ...submitHandlers(desks, clock),
    ...taskHandlers(desks, { clock, waitSecondsMax }),
    ...nodeHandlers(desks),
    ...callerHandlers,
    ...callbackHandlers(desks),
    ...providerHandlers(desks, options.providerWaits),
  };
  const made = new Map(
    routeList.map((spec) => [spec.id, routeOf(spec, handlers[spec.id as keyof Handlers] as AnyHandler)]),
  );
  const endpoints = endpointsOf(routeList);
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: endpoint.url,
      ...(endpoint.byLease && { config: { byLease: true } }),
      ...(endpoint.takesBytes && { bodyLimit: options.uploadBytesMax }),
      handler: (request, reply) => serve(endpoint, request, reply),
    });
  }
  for (const { url, allowed, methods } of otherMethods(endpoints)) {
    app.route({
      method: methods,
      url,
      handler(request, reply) {
        if (endsBeforeName(request)) return reply.callNotFound();
        reply.header("allow", allowed.join(", "));
        throw new Problem("method-not-allowed", `Allowed here: ${allowed.join(", ")}`);
      },
    });
  }

  async function serve(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (endsBeforeName(request)) {
      reply.callNotFound();
      return reply;
    }
    const chosen = endpoint.choose(request.params as Record<string, string>);
    if (chosen === null) {
      reply.callNotFound();
      return reply;
    }
    const { id, params } = chosen;
    const route = made.get(id) as Route;
    const call = callOf(route, params, request, reply);
    return send(reply, await route.handle(call));
  }

  function callOf(route: Route, params: Record<string, string>, request: FastifyRequest, reply: FastifyReply): Call {
    const { spec, checks } = route;
    const bytes = spec.bytes === true && request.body instanceof Uint8Array ? request.body : noBytes;
    const text = spec.body === undefined ? "" : bodyText(request.body, spec);
    const body = spec.body === undefined ? undefined : readJson(text, { depthMax: options.jsonDepthMax });
    if (spec.method !== "GET" && params.room_id !== undefined) checkRoom(params.room_id);
    const who = options.who(request);
    if (who instanceof Problem) throw who;
    checks.params?.(params, 0);
    checks.query?.(request.query, 0);
    checks.headers?.(request.headers, 0);
    checks.body?.(body, text.length);
    const { query, headers } = request;
    const [search, signal] = [searchOf(request), () => signalOf(reply)];
    return { who, params, query, headers, body, text, bytes, search, prefix: app.prefix, signal } as unknown as Call;
  }

  /** A thousand long polls have one of these each, so it is no more than it must be. */
  function signalOf({ raw }: FastifyReply): AbortSignal {
    const controller = new AbortController();
    if (options.stopping.aborted) controller.abort("stopping");
    waiting.add(controller);
    raw.once("close", () => {
      waiting.delete(controller);
      if (!raw.writableFinished) controller.abort(callerGone);
    });
    return controller.signal;
  }
}

/** The router takes nothing for a name too. It was not meant: the path has a slash too many at its end. */
function endsBeforeName({ params, url }: FastifyRequest): boolean {
  const end = url.indexOf("?");
  if (url[(end < 0 ? url.length : end) - 1] !== "/") return false;
  return Object.values(params as object).at(-1) === "";
}

function routeOf(spec: RouteSpec, handle: AnyHandler): Route {
  const { params, query, headers, body } = spec;
  return {
    ...{ spec, handle },
    checks: {
      params: params === undefined ? null : partCheck(params, "/path"),
      query: query === undefined ? null : partCheck(query, "/query"),
      headers: headers === undefined ? null : partCheck(headers, "/header"),
      body: body === undefined ? null : partCheck(body, ""),
    },
  };
}

const noBytes = new Uint8Array();

function searchOf({ url }: FastifyRequest): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
}

function bodyText(body: unknown, { bodyOptional }: RouteSpec): string {
  if (body instanceof Uint8Array && body.length > 0) return jsonTextOf(body);
  if (bodyOptional === true) return "{}";
  throw badField("", "has no body, and needs one");
}

/** What is sent whole is over at once; only a stream gives the framework something to wait for. */
function send(reply: FastifyReply, { status, json, bytes, type, headers, stream }: Answer): FastifyReply | undefined {
  if (headers !== undefined) reply.headers(headers);
  reply.code(status);
  if (stream !== undefined) return reply.type(type ?? "text/plain").send(Readable.from(stream));
  if (bytes !== undefined) reply.type(type ?? "application/octet-stream").send(bytes);
  else if (json !== undefined) reply.type(type ?? "application/json; charset=utf-8").send(json);
  else reply.send();
  return undefined;
}
