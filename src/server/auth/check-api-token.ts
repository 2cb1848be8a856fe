import type { Clock } from "../../ports/clock.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { hashOf, principalOf, tokenState } from "./api-token.ts";
import { type Checked, rememberMs } from "./check.ts";
import { badToken, lapsedToken } from "./refusals.ts";

export async function checkApiToken(
  store: Pick<Store, "read">,
  clock: Pick<Clock, "now">,
  token: string,
): Promise<Checked> {
  const record = await store.read("token", { hash: hashOf(token) });
  const now = clock.now();
  return judge(record, now, now + rememberMs);
}

function judge(record: TokenRecord | null, now: number, until: number): Checked {
  if (record === null) return { answer: badToken(), until };
  const state = tokenState(record, now);
  if (state === "revoked") return { answer: lapsedToken("was revoked"), until };
  if (state === "expired") return { answer: lapsedToken("has expired"), until };
  return { answer: principalOf(record), until: Math.min(until, record.expiresAt ?? until) };
}
