// Waiting for a database that is away. A restart takes seconds; whoever asked in the meantime gets an answer, not an
// error, and never a wrong one: before anything is sent again, what became of it is found out.

import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import type { Log } from "../../ports/log.ts";
import { lend } from "./connections.ts";
import { asProblem, type Backend, isConflict, LostConnection, messageOf } from "./failure.ts";
import { ask, type Statement } from "./statement.ts";

export interface Patience {
  readonly log: Log;
  /** How long to wait for the database in all, before the call is given up. */
  readonly waitMs: number;
  readonly conflicts: Conflicts;
}

/** What PostgreSQL asks to run again, because others were in the way. */
export interface Conflicts {
  /** How often it is tried in all. */
  readonly attempts: number;
  /** The pause before the second try; it doubles with each. */
  readonly baseMs: number;
}

export const usualConflicts: Conflicts = { attempts: 10, baseMs: 10 };

const pauseMinMs = 20;
const pauseMaxMs = 500;

/**
 * Runs `attempt` until it is answered. It is told with whom the connection was lost so far: nobody, if nothing was sent.
 * After a conflict it simply runs again, because nothing was done.
 */
export async function patiently<T>(
  { log, waitMs, conflicts }: Patience,
  attempt: (lost: readonly Backend[]) => Promise<T>,
): Promise<T> {
  const lost: Backend[] = [];
  let tries = 1;
  let ms = pauseMinMs;
  let over: AbortSignal | null = null;
  for (;;) {
    try {
      return await attempt(lost);
    } catch (error) {
      if (isConflict(error) && tries < conflicts.attempts) {
        log.debug("PostgreSQL asked to run a transaction again", { error: messageOf(error) });
        await pause(Math.min(pauseMaxMs, conflicts.baseMs * 2 ** (tries - 1)));
        tries += 1;
        continue;
      }
      if (!(error instanceof LostConnection) || over?.aborted) throw asProblem(error);
      if (error.backend !== null) lost.push(error.backend);
      if (over === null) log.warn("PostgreSQL went away; waiting for it", { error: messageOf(error.cause) });
      over ??= AbortSignal.timeout(waitMs);
      await pause(ms);
      ms = Math.min(pauseMaxMs, 2 * ms);
    }
  }
}

const endBackend: Statement = {
  name: "end_backend",
  text: `
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where pid = $1
      and backend_start = $2::timestamptz
      and ($3::timestamptz is null or xact_start = $3::timestamptz)`,
};

/**
 * Returns when the server processes we lost are gone, so that whatever they were doing is done or undone for good. They
 * may still be at work: they find out that their client has left only when they next speak. One that a pooler has given to
 * somebody else since has done with ours, and is left alone.
 */
export async function untilGone(writers: Pool, lost: readonly Backend[]): Promise<void> {
  for (const backend of lost) await untilOneIsGone(writers, backend);
}

async function untilOneIsGone(writers: Pool, { pid, startedAt, began }: Backend): Promise<void> {
  for (let waited = 0; waited < goneWithinMs; waited += pauseMinMs) {
    const still = await lend(writers, (client) => ask(client, endBackend, [pid, startedAt, began]));
    if (still.length === 0) return;
    await pause(pauseMinMs);
  }
  throw new LostConnection(new Error(`The server process ${pid} does not end`), null);
}

const goneWithinMs = 10_000;
