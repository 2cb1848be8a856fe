// Everything by which this server knows its callers, put together.

import type { SessionKeys } from "../../core/session.ts";
import type { Operations } from "../../engine/engine.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import type { TokenDesk } from "../../transports/rest/handlers/tokens.ts";
import { systemSecret } from "../system.ts";
import { type Authenticator, authenticator } from "./authenticator.ts";
import type { JwtConfig } from "./check-jwt.ts";
import { type Sessions, sessions } from "./sessions.ts";
import { tokenDesk } from "./token-desk.ts";

export interface SignInOptions {
  readonly config: JwtConfig;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly around: { readonly ids: Ids };
  readonly engine: Pick<Operations, "nodeId" | "sessionKeys">;
}

export interface SignIn {
  readonly auth: Authenticator;
  readonly keys: SessionKeys;
  readonly sessions: Sessions;
  readonly tokens: TokenDesk;
}

export function signIn({ version, engine, around: { ids }, ...around }: SignInOptions): SignIn {
  const auth = authenticator(around);
  const { nodeId, sessionKeys: keys } = engine;
  const known = { ...around, auth, secret: systemSecret };
  return {
    ...{ auth, keys },
    sessions: sessions({ ...known, keys, server: { version, nodeId } }),
    tokens: tokenDesk({ ...known, ids }),
  };
}
