// Which token of a program stands behind somebody. Sessions come and go with the browser, and what was begun in one goes on
// after signing out; a token that is revoked is meant to end everything that came of it.

import type { Principal } from "../../core/access.ts";
import { generationsMax } from "../../core/session.ts";
import type { Store } from "../../ports/store.ts";

/** Null where there is none: behind a JWT, or a code that was printed by the server itself. */
export async function programToken(store: Pick<Store, "read">, { token }: Principal): Promise<string | null> {
  let id = token;
  for (let generation = 0; id !== null && generation <= generationsMax; generation += 1) {
    const record = await store.read("token", { id });
    if (record === null || record.kind === "api") return record?.id ?? null;
    id = record.parent;
  }
  return null;
}

export async function isRevoked(store: Pick<Store, "read">, id: string): Promise<boolean> {
  const record = await store.read("token", { id });
  return record !== null && record.revokedAt !== null;
}
