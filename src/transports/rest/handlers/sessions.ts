import type { Principal } from "../../../core/access.ts";
import { badField } from "../../../core/problem.ts";
import type { sessionRoutes } from "../../../protocol/rest/session-routes.ts";
import { type Handlers, json, type Visit } from "../call.ts";
import { isoTime } from "../time.ts";

/** Either, and not both. */
export type ShownToSignIn =
  | { readonly token: string; readonly code?: undefined }
  | { readonly code: string; readonly token?: undefined };

export interface SessionView extends Pick<Principal, "user" | "role" | "rooms" | "jobs"> {
  readonly expiresAt: number | null;
  /** Null for whoever shows a token. */
  readonly csrf: string | null;
  readonly server: { readonly version: string; readonly nodeId: string };
}

/** Where people sign in and out. */
export interface SessionDesk {
  /** `cookie` is for the browser alone. */
  begin(shown: ShownToSignIn, visit: Visit): Promise<SessionView & { readonly cookie: string }>;
  read(who: Principal, visit: Visit): Promise<SessionView>;
  /** Answers the cookie that removes the session's. */
  end(visit: Visit): Promise<string>;
  code(who: Principal, visit: Visit): Promise<{ readonly code: string; readonly expiresAt: number }>;
}

/** Nobody between us and the browser keeps any of this. */
const unkept = { "cache-control": "no-store" };

export function sessionHandlers(desk: SessionDesk): Handlers<keyof typeof sessionRoutes> {
  return {
    async beginSession({ body, visit }) {
      const { cookie, ...session } = await desk.begin(shownIn(body), visit());
      return json(200, sessionJson(session), { ...unkept, "set-cookie": cookie });
    },
    readSession: async ({ who, visit }) => json(200, sessionJson(await desk.read(who, visit())), unkept),
    endSession: async ({ visit }) => ({ status: 204, headers: { ...unkept, "set-cookie": await desk.end(visit()) } }),
    async createCode({ who, visit }) {
      const { code, expiresAt } = await desk.code(who, visit());
      return json(201, { code, expires_at: isoTime(expiresAt) }, unkept);
    },
  };
}

function shownIn({ token, code }: { readonly token?: string; readonly code?: string }): ShownToSignIn {
  if (token !== undefined && code === undefined) return { token };
  if (code !== undefined && token === undefined) return { code };
  throw badField("", "needs a token or a code, and not both");
}

function sessionJson({ user, role, rooms, jobs, expiresAt, csrf, server }: SessionView) {
  const about = { version: server.version, node_id: server.nodeId };
  return { user, role, rooms, jobs, expires_at: isoTime(expiresAt), csrf, server: about };
}
