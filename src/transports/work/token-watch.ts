// Whose token has lapsed is told so and cut off, within seconds.

import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Connection } from "./connection.ts";

export interface TokenWatch {
  /** Looks at the tokens again, if it is time; called more often than that. */
  look(): void;
  stop(): void;
}

export interface TokenWatchParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Connections, with what they showed. */
  readonly open: ReadonlyMap<Connection, string | undefined>;
  authenticate(authorization: string | undefined): Promise<Principal | Problem>;
}

const againMs = 2_000;

export function tokenWatch({ clock, log, open, authenticate }: TokenWatchParts): TokenWatch {
  let nextAt = clock.now() + againMs;
  let stopped = false;

  async function lookAtAll(): Promise<void> {
    // Many connections have the same token: each is looked at once.
    for (const authorization of new Set(open.values())) {
      const who = await authenticate(authorization);
      if (stopped) return;
      if (!(who instanceof Problem) || who.code !== "unauthorized") continue;
      for (const [each, shown] of open) if (shown === authorization) each.refuse(who);
    }
  }

  return {
    look() {
      if (clock.now() < nextAt) return;
      // Not before this look is done.
      nextAt = Number.POSITIVE_INFINITY;
      lookAtAll()
        .catch((error) => log.warn("Tokens of connections could not be looked at", { error }))
        .finally(() => {
          nextAt = clock.now() + againMs;
        });
    },
    stop() {
      stopped = true;
    },
  };
}
