// Requests that do not give up: a server that is away, busy or starting is asked again until it answers or the caller no
// longer wants to know. What the server refuses is thrown at once.

import { setTimeout as pause } from "node:timers/promises";
import type { Credentials } from "./credentials.ts";
import { ServerProblem, ServerUnreachable } from "./problem.ts";
import type { RestApi, RestAsk, RestReply } from "./rest-api.ts";
import { chance } from "./system.ts";

export interface SteadyApi {
  request<T = unknown>(method: string, path: string, ask?: SteadyAsk): Promise<RestReply<T>>;
}

export interface SteadyAsk extends RestAsk {
  /** How often it is asked at most; without end where absent. */
  readonly tries?: number;
  /** False: where it is not known whether it was heard, the caller has to look before it is asked again. */
  readonly repeatable?: boolean;
}

export interface SteadyApiOptions {
  readonly api: RestApi;
  readonly credentials: Pick<Credentials, "renewed">;
  /** Told when the server stops answering, and when it is back. */
  readonly onReach?: (reached: boolean, error?: unknown) => void;
}

/** Whoever holds tasks comes back to the server within two seconds. */
const delayMsMax = 2_000;
const delayMsMin = 50;
/** A server that comes back earlier than it thought, or names a time by mistake, is found by then. */
const askedMsMax = 30_000;

export function steadyApi({ api, credentials, onReach = () => {} }: SteadyApiOptions): SteadyApi {
  let reached = true;

  function note(now: boolean, error?: unknown): void {
    if (now !== reached) onReach(now, error);
    reached = now;
  }

  return {
    async request<T>(method: string, path: string, ask: SteadyAsk = {}) {
      const { tries = Number.POSITIVE_INFINITY, repeatable = true, ...words } = ask;
      for (let tried = 1; ; tried += 1) {
        try {
          const reply = await api.request<T>(method, path, words);
          note(true);
          return reply;
        } catch (error) {
          if (error instanceof ServerProblem && error.status < 500) note(true);
          if (isAway(error)) note(false, error);
          if (tried >= tries || (!repeatable && isUnsure(error))) throw error;
          if (!(await mayPass(error, credentials))) throw error;
          await pause(delayMs(tried, error), undefined, words.signal && { signal: words.signal });
        }
      }
    },
  };
}

/** Whether the same request may be answered otherwise later. */
async function mayPass(error: unknown, { renewed }: Pick<Credentials, "renewed">): Promise<boolean> {
  if (error instanceof ServerProblem && error.status === 401) return renewed();
  return isAway(error) || (error instanceof ServerProblem && error.status === 429);
}

/** Whether the request may have been heard although no answer says so. */
export function isUnsure(error: unknown): boolean {
  if (error instanceof ServerUnreachable) return true;
  return error instanceof ServerProblem && [500, 502, 504].includes(error.status);
}

function isAway(error: unknown): boolean {
  // 501 and the like would say so for ever.
  return isUnsure(error) || (error instanceof ServerProblem && error.status === 503);
}

/** How long to wait after the so many-th try. */
export function delayMs(tried: number, error: unknown): number {
  const asked = error instanceof ServerProblem ? askedMs(error) : 0;
  const grown = Math.min(delayMsMax, delayMsMin * 2 ** Math.min(tried - 1, 10));
  return Math.max(asked, grown * (0.5 + chance() / 2));
}

/** How long the server asks to be left alone, as far as anybody does so. */
export function askedMs({ retryAfterMs }: ServerProblem): number {
  return Math.min(retryAfterMs ?? 0, askedMsMax);
}
