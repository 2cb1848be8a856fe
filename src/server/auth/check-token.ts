// Tokens that the database knows: of programs, and of people with browsers. What came of another token is good while
// that one is.

import { generationsMax, type TokenKind, tokenState } from "../../core/session.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { hashOf, principalOf } from "./api-token.ts";
import { type Checked, rememberMs } from "./check.ts";
import { badToken, lapsedToken } from "./refusals.ts";

export async function checkToken(
  store: Pick<Store, "read">,
  clock: Pick<Clock, "now">,
  token: string,
  kind: TokenKind,
): Promise<Checked> {
  const record = await store.read("token", { hash: hashOf(token) });
  const line = record === null || record.kind !== kind ? null : await lineOf(store, record);
  const now = clock.now();
  return judge(line, now, now + rememberMs);
}

/** A token and those it came from, itself first. Null where one of them is gone, or there are too many to look at. */
export async function lineOf(
  store: Pick<Store, "read">,
  token: TokenRecord,
): Promise<readonly [TokenRecord, ...TokenRecord[]] | null> {
  const line: [TokenRecord, ...TokenRecord[]] = [token];
  for (let { parent } = token; parent !== null; ) {
    const next = line.length > generationsMax ? null : await store.read("token", { id: parent });
    if (next === null) return null;
    line.push(next);
    parent = next.parent;
  }
  return line;
}

function judge(line: readonly [TokenRecord, ...TokenRecord[]] | null, now: number, until: number): Checked {
  if (line === null) return { answer: badToken(), until };
  const states = line.map((token) => tokenState(token, now));
  if (states.includes("revoked")) return { answer: lapsedToken("was revoked"), until };
  if (states.includes("expired")) return { answer: lapsedToken("has expired"), until };
  const ends = line.flatMap(({ expiresAt }) => expiresAt ?? []);
  return { answer: principalOf(...line), until: Math.min(until, ...ends) };
}
