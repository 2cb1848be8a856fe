// The host's way to reach its server, and requests made by it.

import { ServerProblem, ServerUnreachable } from "../problem.ts";
import { type RestAsk, type RestReply, restApi } from "../rest-api.ts";
import type { Contact } from "./contact.ts";

/**
 * What a host gives a `JobManager` to speak with its server: how requests are made, and by whom.
 *
 * @example
 * ```ts
 * import type { ApiManager } from "leadhand";
 *
 * export function renewing(baseUrl: string, freshToken: () => Promise<string>): ApiManager {
 *   return {
 *     http: fetch,
 *     baseUrl,
 *     getHeaders: async () => ({ authorization: `Bearer ${await freshToken()}` }),
 *     raiseForStatus(response) {
 *       if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
 *     },
 *   };
 * }
 * ```
 */
export interface ApiManager {
  /** As `fetch` does it. */
  readonly http: typeof globalThis.fetch;
  /** Asked for on every request, so that a token may be renewed in between. */
  getHeaders(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** As in https://app.example.com. */
  readonly baseUrl: string;
  /**
   * Called with every answer that is not 2xx. What it throws is what the caller gets; where it throws nothing, the
   * caller gets a `ServerProblem`.
   */
  raiseForStatus(response: Response): void | Promise<void>;
}

/** Instead of an `ApiManager`, where there is nothing to say but where and by whom. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

export type Ask = <T = unknown>(method: string, path: string, how?: AskHow) => Promise<RestReply<T>>;

export interface AskHow extends Omit<RestAsk, "signal"> {
  /** A server that accepts a request and never answers it is out of reach too. */
  readonly timeoutMs?: number;
}

const timeoutMsDefault = 30_000;

/** Rejects with what the host raised, or a ServerProblem, or ServerUnreachable; `problemBehind` tells them apart. */
export function asking(api: ApiManager, contact: Contact): Ask {
  return async <T>(method: string, path: string, { timeoutMs = timeoutMsDefault, ...ask }: AskHow = {}) => {
    const raised: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await api.http(input, init);
      if (response.ok) return response;
      try {
        await api.raiseForStatus(response.clone());
      } catch (error) {
        raised.push(error);
      }
      return response;
    };
    const rest = restApi({ url: api.baseUrl, getHeaders: () => api.getHeaders(), fetch, isHosted: true });
    try {
      const reply = await rest.request<T>(method, path, { ...ask, signal: AbortSignal.timeout(timeoutMs) });
      contact.good();
      return reply;
    } catch (error) {
      if (!(error instanceof ServerProblem)) throw unanswered(contact, `${method} ${path}`, error);
      if (error.status >= 500) contact.bad(error);
      else contact.good();
      throw raised.length === 0 ? error : behind(raised[0], error);
    }
  };
}

const problems = new WeakMap<object, ServerProblem>();

/** What the server said, whatever the host made of it; undefined where it said nothing. */
export function problemBehind(error: unknown): ServerProblem | undefined {
  if (error instanceof ServerProblem) return error;
  return typeof error === "object" && error !== null ? problems.get(error) : undefined;
}

/** Whether the same request may go well in a while. */
export function isPassing(error: unknown): boolean {
  const problem = problemBehind(error);
  return problem === undefined ? error instanceof ServerUnreachable : problem.status >= 500 || problem.status === 429;
}

/** Whether it takes a person to go on: the token is not, or no longer, good for this. */
export function isForbidden(error: unknown): boolean {
  const status = problemBehind(error)?.status;
  return status === 401 || status === 403;
}

export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  const status = problemBehind(error)?.status;
  return status !== undefined && statuses.includes(status);
}

function behind(raised: unknown, problem: ServerProblem): unknown {
  if (typeof raised !== "object" || raised === null) return problem;
  problems.set(raised, problem);
  return raised;
}

/** Also where no token was to be had, or the host's own `http` failed: in all these cases nothing was said. */
function unanswered(contact: Contact, request: string, error: unknown): ServerUnreachable {
  const unreachable =
    error instanceof ServerUnreachable
      ? error
      : new ServerUnreachable(`${request} was not answered: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
  contact.bad(unreachable);
  return unreachable;
}

export function apiManagerOf(api: ApiManager | ServerAddress): ApiManager {
  if (!("token" in api)) return api;
  const { url, token } = api;
  return {
    http: (...request) => globalThis.fetch(...request),
    baseUrl: url,
    getHeaders: () => ({ authorization: `Bearer ${token}` }),
    raiseForStatus() {},
  };
}
