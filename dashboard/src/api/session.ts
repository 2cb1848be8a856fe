// Who is logged in, and what that one may do. The server refuses the rest anyway; we only do not offer it.

import { createContext, use } from "react";
import { ask, setCsrf } from "./client.ts";
import { Refusal } from "./problem.ts";
import type { Answer } from "./routes.ts";

export type Session = Answer<"GET /session">;

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error("Nobody is logged in");
  return session;
}

export interface May {
  /** Submit, cancel, retry, pause: everything but reading. */
  readonly act: boolean;
  /** What concerns all: tokens, settings. */
  readonly administer: boolean;
  /** Figures about the whole server. */
  readonly seeAll: boolean;
}

export function useMay(): May {
  const { role, rooms } = useSession();
  return { act: role !== "viewer", administer: role === "admin", seeAll: rooms === null };
}

/** Null: nobody is. */
export async function currentSession(): Promise<Session | null> {
  try {
    return remember(await ask({ route: "GET /session" }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null;
    throw error;
  }
}

export async function logIn(proof: { readonly token: string } | { readonly code: string }): Promise<Session> {
  return remember(await ask({ route: "POST /session", body: proof }));
}

export async function logOut(): Promise<void> {
  await ask({ route: "DELETE /session" });
  setCsrf(null);
}

function remember(session: Session): Session {
  setCsrf(session.csrf);
  return session;
}

/** The single-use code that a link carries in its fragment; it is gone from the address before anything else happens. */
export function takeCode(): string | null {
  const found = /^#code=([\w.~-]+)$/.exec(location.hash);
  if (found === null) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return found[1] ?? null;
}
