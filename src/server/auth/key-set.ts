// The public keys of an issuer, from its JWKS address. A key that is not known is looked for there, but not more often
// than every few seconds, so that invented key ids cost the issuer nothing. Keys outlive a short absence of the issuer.

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

export interface KeySetOptions {
  readonly url: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

/** After this the keys are asked for again. */
const freshMs = 10 * 60_000;
/** Where that fails they are good for so long in all. */
const usableMs = 60 * 60_000;
/** The least time between two questions. */
const cooldownMs = 5_000;
const timeoutMs = 5_000;
const textMax = 2 ** 20;

export function keySet({ url, clock, log }: KeySetOptions): JWTVerifyGetKey {
  let keys: ReturnType<typeof createLocalJWKSet> | null = null;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  async function load(): Promise<void> {
    askedAt = clock.now();
    try {
      keys = createLocalJWKSet(await fetchKeys(url));
      loadedAt = askedAt;
    } catch (error) {
      log.warn("The keys of JWTs cannot be fetched", { url, error });
    }
  }

  /** Asks the issuer, unless it was asked a moment ago; answers whether it was asked. */
  async function ask(): Promise<boolean> {
    if (asking === null && clock.now() - askedAt < cooldownMs) return false;
    asking ??= load().finally(() => {
      asking = null;
    });
    await asking;
    return true;
  }

  async function current(): Promise<NonNullable<typeof keys>> {
    if (clock.now() - loadedAt >= freshMs) await ask();
    if (keys !== null && clock.now() - loadedAt < usableMs) return keys;
    throw new Problem("keys-unavailable", "The keys to check the token with cannot be fetched", {
      retryAfterSeconds: cooldownMs / 1_000,
    });
  }

  return async (header, token) => {
    const known = await current();
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await ask())) throw error;
    }
    return (await current())(header, token);
  };
}

async function fetchKeys(url: string): Promise<JSONWebKeySet> {
  const headers = { accept: "application/jwk-set+json, application/json" };
  const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The status is ${answer.status}, not 200`);
  if (text.length > textMax) throw new Error(`The key set is longer than ${textMax} characters`);
  return JSON.parse(text) as JSONWebKeySet;
}
