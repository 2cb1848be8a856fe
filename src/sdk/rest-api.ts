// Requests to a server's REST API. Headers are asked for on every request, so that a token may be renewed in between.

import { type ProblemDocument, ServerProblem, ServerUnreachable } from "./problem.ts";

export interface RestApi {
  /** Without a slash at the end. */
  readonly url: string;
  /** Paths are below the prefix. Throws ServerProblem for 4xx and 5xx, ServerUnreachable where no answer of a server came. */
  request<T = unknown>(method: string, path: string, ask?: RestAsk): Promise<RestReply<T>>;
}

export interface RestAsk {
  /** What becomes JSON; a string is sent as the JSON text it is, and bytes as they are, without a content type. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** `T` is what the caller knows of the answer to what it asked. */
export interface RestReply<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** Null where there is none. */
  readonly body: T;
  /** The body as it came: numbers have all their digits. */
  readonly text: string;
}

export interface RestApiOptions {
  /** As in http://127.0.0.1:7070. */
  readonly url: string;
  /** `/v1` where absent; empty for what is at the root. */
  readonly prefix?: "/v1" | "";
  getHeaders(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  readonly fetch?: typeof globalThis.fetch;
  /** A host in front of the server has a say too: what it refuses in its own words is refused. */
  readonly isHosted?: boolean;
}

export function restApi(options: RestApiOptions): RestApi {
  const { url, prefix = "/v1", getHeaders, fetch = globalThis.fetch, isHosted = false } = options;
  const base = url.replace(/\/+$/, "");

  async function request<T>(
    method: string,
    path: string,
    { body, headers, signal }: RestAsk = {},
  ): Promise<RestReply<T>> {
    const isBytes = body instanceof Uint8Array;
    const sent = body === undefined || typeof body === "string" || isBytes ? body : JSON.stringify(body);
    const init: RequestInit = {
      method,
      headers: {
        ...(sent !== undefined && !isBytes && { "content-type": "application/json" }),
        ...(await getHeaders()),
        ...headers,
      },
      ...(sent !== undefined && { body: sent as NonNullable<RequestInit["body"]> }),
      ...(signal !== undefined && { signal }),
    };
    const at = base + prefix + path;
    const reply = await answered(fetch, at, init);
    if (reply.status >= 400 && !isForeign(reply, isHosted)) throw problemOf(reply);
    if (reply.status < 200 || reply.status >= 300 || reply.body === undefined) throw notOurs(`${method} ${at}`, reply);
    return reply as RestReply<T>;
  }

  return { url: base, request };
}

async function answered(fetch: typeof globalThis.fetch, url: string, init: RequestInit): Promise<RestReply> {
  try {
    const answer = await fetch(url, init);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: read(text), text };
  } catch (error) {
    if (init.signal?.aborted === true) throw init.signal.reason;
    // That is how `fetch` says that a connection was refused, or broke.
    if (error instanceof TypeError)
      throw new ServerUnreachable(`${init.method} ${url} was not answered`, { cause: error });
    throw error;
  }
}

/** Null where there is none; undefined where it is no JSON. */
function read(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What whoever stands in front of a server may refuse in its stead: a login, a body that is too large, too many requests. */
const anyones: readonly number[] = [401, 413, 429];
/** And what nobody else can know. */
const serversAlone: readonly number[] = [404, 409, 410];

/**
 * "There is none", "it is another's" and the like are the server's alone to say: what it says, it says as a problem. Work
 * would be given up because of it.
 */
function isForeign({ status, body }: RestReply, isHosted: boolean): boolean {
  if (isProblem(body)) return false;
  return isHosted ? serversAlone.includes(status) : status < 500 && !anyones.includes(status);
}

/** What stands between us and the server answers in its own words, as with a page, or by sending us elsewhere. */
function notOurs(request: string, { status, headers }: RestReply): ServerUnreachable {
  const said = headers.get("location") ?? headers.get("content-type") ?? "something that is no JSON";
  const cause = new Error(`something in its place answered ${status}, ${said}`);
  return new ServerUnreachable(`${request} was not answered by the server: ${cause.message}`, { cause });
}

function problemOf({ status, headers, body }: RestReply): ServerProblem {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  const document = isProblem(body) ? body : { type: "unknown", title: `HTTP ${status}`, status };
  return new ServerProblem({ ...document, status }, retryAfterMs);
}

function isProblem(body: unknown): body is ProblemDocument {
  return typeof body === "object" && body !== null && "type" in body;
}
