// What listens: one HTTP server for probes, metrics and doors. It answers problems whatever goes wrong, and its end is
// orderly: no more connections, the requests in hand, and then nothing.

import type { AddressInfo } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Problem } from "../core/problem.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { problemOf, sendProblem } from "../transports/rest/problem-reply.ts";
import { httpConnections } from "./http-connections.ts";
import { lastAnswers } from "./last-answers.ts";
import { listenError } from "./listen-error.ts";
import { type ProbeOptions, probes } from "./probes.ts";
import type { TlsIdentity } from "./tls.ts";
import { routeUpgrades, type Upgrade, wantsUpgrade } from "./upgrades.ts";

export interface WebServerOptions extends ProbeOptions {
  readonly host: string;
  readonly port: number;
  /** Null: plain HTTP. */
  readonly tls?: TlsIdentity | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly bodyBytesMax: number;
  /** Proxies that are believed when they say for whom they ask; null: none is. */
  readonly trustedProxies?: readonly string[] | null;
  /** How long requests in hand may take at the end. */
  readonly stopGraceMs: number;
  /** Adds what is served beside the probes. */
  doors?(app: FastifyInstance): void;
  /** Who takes connections that are to be something else, by their path; see `routeUpgrades`. */
  readonly upgrades?: ReadonlyMap<string, Upgrade>;
}

export interface WebServer {
  /** Answers the address it listens on. */
  start(): Promise<{ readonly url: string; readonly port: number }>;
  stop(): Promise<void>;
  /** How many speak HTTP now. */
  connections(): number;
  /** How many requests wait for their answers now, long polls and streams too. */
  requests(): number;
}

/** Workers keep their connections for the next heartbeat. */
const keepAliveTimeout = 75_000;
/** What was sent before the end began is read by then. */
const silentMs = 500;
/** For the whole of a request, headers and body. */
const requestTimeout = 30_000;

/** What is no request at all gets a word, and the connection ends. */
const clientErrors: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

export function webServer(options: WebServerOptions): WebServer {
  const { clock, log, tls = null } = options;
  const app = Fastify({
    ...(tls === null ? { http: wantsUpgrade } : { https: { ...tls, ...wantsUpgrade } }),
    ...{ keepAliveTimeout, requestTimeout, bodyLimit: options.bodyBytesMax },
    ...(options.trustedProxies != null && { trustProxy: [...options.trustedProxies] }),
    forceCloseConnections: "idle",
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: ({ code }, socket) => {
      const said = clientErrors[code ?? ""] ?? "400 Bad Request";
      if (socket.writable) socket.end(`HTTP/1.1 ${said}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    },
    frameworkErrors: (error, _, reply) => void sendProblem(reply, problemOf(error, log)),
  }) as unknown as FastifyInstance;
  prepare(app, options);
  const connections = httpConnections(app.server, tls !== null);
  const last = lastAnswers(app.server);
  const ending = new AbortController();
  routeUpgrades(app.server, options.upgrades ?? new Map(), ending.signal);
  let stopping: Promise<void> | null = null;

  async function quiet(): Promise<void> {
    // Whoever still reads an answer gets a moment; a connection that never ends must not keep the server from ending.
    const cancel = clock.alarm(clock.now() + options.stopGraceMs, () => app.server.closeAllConnections());
    ending.abort();
    last.begin();
    const cancelSilent = clock.alarm(clock.now() + silentMs, () => last.endSilent());
    await app.close();
    cancelSilent();
    cancel();
  }

  return {
    connections,
    requests: last.inHand,
    start: () => listen(app, options),
    stop() {
      stopping ??= quiet();
      return stopping;
    },
  };
}

function prepare(app: FastifyInstance, options: WebServerOptions): void {
  const { log } = options;
  // Every route reads its own body: what a client calls it does not matter, and need not even be a media type.
  app.addHook("onRequest", forgetContentType);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  app.setErrorHandler((error, _, reply) => sendProblem(reply, problemOf(error, log)));
  app.setNotFoundHandler(nothingHere);
  probes(app, options);
  options.doors?.(app);
}

function forgetContentType({ headers }: FastifyRequest, _: FastifyReply, done: () => void): void {
  headers["content-type"] = undefined;
  done();
}

/** Where the documents' paths begin. A path that begins otherwise may lead to another host. */
const documented = /^\/(v1|workers|function-blocks|blackboard)\//;

/** Clients of the documents are used to being shown the way from a path with a slash at its end. */
function nothingHere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = "/", query] = request.url.split("?", 2);
  if (documented.test(path) && path.endsWith("/")) {
    return reply.redirect(path.replace(/\/+$/, "") + (query === undefined ? "" : `?${query}`), 307);
  }
  return sendProblem(reply, new Problem("not-found", `There is nothing at ${path.slice(0, 200)}`));
}

async function listen(
  app: FastifyInstance,
  { host, port, tls = null }: WebServerOptions,
): Promise<{ readonly url: string; readonly port: number }> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  }
  const bound = (app.server.address() as AddressInfo).port;
  const scheme = tls === null ? "http" : "https";
  return { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${bound}`, port: bound };
}
