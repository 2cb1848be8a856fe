// Probes and metrics over plain HTTP: /health says that the process answers, /health/ready that it can work.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Problem } from "../core/problem.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { TlsIdentity } from "./tls.ts";

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  /** Null: plain HTTP. */
  readonly tls?: TlsIdentity | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Why the server cannot work now; null when it can. */
  ready(): Problem | null | Promise<Problem | null>;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Whether the caller may read the metrics; the probes are open to all. */
  mayRead(caller: Caller): boolean | Promise<boolean>;
}

export interface Caller {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The other end of the connection. */
  readonly address: string;
  /** Whether a proxy says that it speaks for someone else. */
  readonly forwarded: boolean;
}

export interface HealthServer {
  /** Answers the address it listens on. */
  start(): Promise<{ readonly url: string; readonly port: number }>;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const stopWithinMs = 2_000;

export function healthServer(options: HealthServerOptions): HealthServer {
  const { clock } = options;
  const server = createListener(options, (request, response) => {
    request.resume();
    void respond(options, request, response);
  });
  let stopping: Promise<void> | null = null;

  async function quiet(): Promise<void> {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    // Whoever still reads an answer gets a moment; a connection that never ends must not keep the server from ending.
    const cancel = clock.alarm(clock.now() + stopWithinMs, () => server.closeAllConnections());
    await closed;
    cancel();
  }

  return {
    start: () => listen(server, options),
    stop() {
      stopping ??= quiet();
      return stopping;
    },
  };
}

function createListener({ tls = null }: HealthServerOptions, listener: RequestListener): Server {
  const limits = { keepAliveTimeout: 5_000, requestTimeout: 10_000 };
  return tls === null ? createServer(limits, listener) : createTlsServer({ ...limits, ...tls }, listener);
}

function listen(
  server: Server,
  { host, port, tls = null }: HealthServerOptions,
): Promise<{ readonly url: string; readonly port: number }> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const bound = (server.address() as AddressInfo).port;
      const scheme = tls === null ? "http" : "https";
      resolve({ url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${bound}`, port: bound });
    });
  });
}

const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another process; choose another with --port or LEADHAND_PORT",
  EACCES: "is not open to this user; choose one above 1023 with --port or LEADHAND_PORT",
  EADDRNOTAVAIL: "is not on this machine; choose another address with --host or LEADHAND_HOST",
  ENOTFOUND: "is not on this machine; choose another address with --host or LEADHAND_HOST",
};

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const fault = listenFaults[cause.code ?? ""] ?? `cannot be listened on: ${cause.message}`;
  return new Error(`Port ${port} of ${host} ${fault}`, { cause });
}

async function respond(
  options: HealthServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: Answer;
  try {
    answer = await answerTo(options, request);
  } catch (error) {
    if (!(error instanceof Problem)) options.log.error("A probe failed", { path: request.url, error });
    answer = problemAnswer(error instanceof Problem ? error : new Problem("internal-error", "The probe failed"));
  }
  response.writeHead(answer.status, {
    "content-type": answer.type,
    "content-length": Buffer.byteLength(answer.body),
    "cache-control": "no-store",
    ...answer.headers,
  });
  response.end(request.method === "HEAD" ? undefined : answer.body);
}

async function answerTo(options: HealthServerOptions, request: IncomingMessage): Promise<Answer> {
  const path = (request.url ?? "/").replace(/[?#].*$/, "");
  const respondTo = routes[path];
  if (respondTo === undefined) throw new Problem("not-found", `There is nothing at ${path}`);
  if (request.method !== "GET" && request.method !== "HEAD") {
    const problem = new Problem("method-not-allowed", `${path} can only be read`);
    return { ...problemAnswer(problem), headers: { allow: "GET, HEAD" } };
  }
  return respondTo(options, request);
}

type Route = (options: HealthServerOptions, request: IncomingMessage) => Promise<Answer>;

const alive: Route = async () => jsonAnswer({ status: "ok" });

const readiness: Route = async ({ ready }) => {
  const problem = await ready();
  return problem === null ? jsonAnswer({ status: "ready" }) : problemAnswer(problem);
};

const metrics: Route = async (options, request) => {
  if (!(await options.mayRead(callerOf(request)))) {
    const problem = new Problem("unauthorized", "Metrics are for this machine alone");
    return { ...problemAnswer(problem), headers: { "www-authenticate": "Bearer" } };
  }
  const { contentType, body } = await options.metrics();
  return { status: 200, type: contentType, body };
};

function callerOf({ headers, socket }: IncomingMessage): Caller {
  const forwarded = ["forwarded", "x-forwarded-for", "x-real-ip"].some((name) => headers[name] !== undefined);
  return { authorization: headers.authorization, address: socket.remoteAddress ?? "", forwarded };
}

const routes: Readonly<Record<string, Route | undefined>> = Object.assign(Object.create(null), {
  "/health": alive,
  "/health/": alive,
  "/health/ready": readiness,
  "/metrics": metrics,
});

function jsonAnswer(value: unknown): Answer {
  return { status: 200, type: "application/json", body: JSON.stringify(value) };
}

function problemAnswer(problem: Problem): Answer {
  return { status: problem.status, type: "application/problem+json", body: JSON.stringify(problem.toBody()) };
}
