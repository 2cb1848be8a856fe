// A door of described routes: each request is checked by the description of its route, and handed to its handler. The
// order of checks is the documents': whether the body is JSON, the room of a write, who asks, the fields, and then
// whatever the desk says.

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../core/access.ts";
import { callerGone } from "../../core/caller-gone.ts";
import { checkRoom } from "../../core/name.ts";
import { badField, Problem } from "../../core/problem.ts";
import { jsonTextOf, readJson } from "../../protocol/json-text.ts";
import type { RouteSpec } from "../../protocol/rest/route.ts";
import type { Answer, Call, Visit } from "./call.ts";
import { allowedAt, type Endpoint, endpointsOf, otherMethods } from "./endpoints.ts";
import { type PartCheck, partCheck } from "./request-check.ts";

export interface RouteDoorOptions {
  readonly jsonDepthMax: number;
  /** Of routes that take bytes. */
  readonly uploadBytesMax: number;
  /** Who asks, or why nobody does. Decided before the body is read. */
  who(request: FastifyRequest): Principal | Problem;
  visit(request: FastifyRequest): Visit;
  /** Whether what a request showed is good still; for answers that go on. */
  isStillGood(request: FastifyRequest): Promise<boolean>;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

type AnyHandler = (call: Call) => Promise<Answer>;

interface Route {
  readonly spec: RouteSpec;
  readonly handle: AnyHandler;
  readonly checks: { readonly [K in "params" | "query" | "headers" | "body"]: PartCheck | null };
}

/** Handlers by the id of their route. */
export function routeDoor(
  app: FastifyInstance,
  specs: readonly RouteSpec[],
  handlers: object,
  options: RouteDoorOptions,
): void {
  const waiting = new Set<AbortController>();
  options.stopping.addEventListener("abort", () => {
    for (const controller of waiting) controller.abort("stopping");
  });
  const handlerOf = ({ id }: RouteSpec): AnyHandler => handlers[id as keyof typeof handlers] as AnyHandler;
  const made = new Map(specs.map((spec) => [spec.id, routeOf(spec, handlerOf(spec))]));
  const endpoints = endpointsOf(specs);
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: endpoint.url,
      ...(endpoint.byLease && { config: { byLease: true } }),
      ...(endpoint.open && { config: { open: true } }),
      ...(endpoint.takesBytes && { bodyLimit: options.uploadBytesMax }),
      handler: (request, reply) => serve(endpoint, request, reply),
    });
  }
  for (const { url, methods } of otherMethods(endpoints)) {
    app.route({
      method: methods,
      url,
      handler: (request, reply) => (endsBeforeName(request) ? reply.callNotFound() : refuse(url, request, reply)),
    });
  }

  /** There is no such route: because of the method, where another one has it, or nothing is there. */
  function refuse(url: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const allowed = allowedAt(endpoints, url, request.params as Record<string, string>).join(", ");
    if (allowed === "") {
      reply.callNotFound();
      return reply;
    }
    reply.header("allow", allowed);
    throw new Problem("method-not-allowed", `Allowed here: ${allowed}`);
  }

  async function serve(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (endsBeforeName(request)) {
      reply.callNotFound();
      return reply;
    }
    const chosen = endpoint.choose(request.params as Record<string, string>);
    if (chosen === null) return refuse(endpoint.url, request, reply);
    const { id, params } = chosen;
    const route = made.get(id) as Route;
    const call = callOf(route, params, request, reply);
    const answer = await route.handle(call);
    return answer.stream === undefined ? send(reply, answer) : sendStream(request, reply, answer.stream, answer);
  }

  /** Who asks for the head alone is told of no more: nobody would read it, or hang up. */
  function sendStream(
    request: FastifyRequest,
    reply: FastifyReply,
    stream: AsyncIterable<string>,
    { status, type = "text/plain", headers = {} }: Answer,
  ): FastifyReply {
    reply.code(status).headers(headers).type(type);
    if (request.method === "HEAD") return reply.send();
    return reply.send(Readable.from(whileGood(stream, () => options.isStillGood(request))));
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
    const [search, signal, visit] = [searchOf(request), () => signalOf(reply), () => options.visit(request)];
    const asked = { who, params, query, headers, body, text, bytes, search, prefix: app.prefix };
    return { ...asked, signal, visit } as unknown as Call;
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

/** Each part is for whoever has not lost the right to it meanwhile. */
async function* whileGood(stream: AsyncIterable<string>, isGood: () => Promise<boolean>): AsyncGenerator<string> {
  for await (const part of stream) {
    if (!(await isGood())) return;
    yield part;
  }
}

/** What is sent whole is over at once; only a stream gives the framework something to wait for. */
function send(reply: FastifyReply, { status, json, bytes, type, headers }: Answer): undefined {
  if (headers !== undefined) reply.headers(headers);
  reply.code(status);
  if (bytes !== undefined) reply.type(type ?? "application/octet-stream").send(bytes);
  else if (json !== undefined) reply.type(type ?? "application/json; charset=utf-8").send(json);
  else reply.send();
  return undefined;
}
