// The time as PostgreSQL tells it, asked for before anything else: a clock that is right from its first word never has to
// stand still to be set back.

import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { Problem } from "../core/problem.ts";
import type { Log } from "../ports/log.ts";
import { isLost } from "../stores/postgres/failure.ts";
import { maskSecret } from "./mask.ts";
import type { SystemClock } from "./system.ts";

/** A database that is starting, as in a compose file beside its server, has this long. */
const waitMs = 10_000;
const pauseMs = 250;
const answerWithinMs = 5_000;

export async function setByPostgres(clock: SystemClock, url: string, log: Log): Promise<void> {
  const giveUpAt = clock.machine() + waitMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await setOnce(clock, url);
    } catch (error) {
      if (!isLost(error) || clock.machine() >= giveUpAt) throw unusable(url, error);
      if (tries === 1) log.warn("PostgreSQL does not answer yet; trying again", { error });
      await pause(pauseMs);
    }
  }
}

async function setOnce(clock: SystemClock, url: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    fallback_application_name: "leadhand",
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const askedAt = clock.machine();
    const { rows } = await client.query("select extract(epoch from clock_timestamp()) * 1000 as now");
    clock.setOffset(Number(rows[0].now) - (askedAt + clock.machine()) / 2);
  } finally {
    await client.end();
  }
}

/** Moves the clock by so much from the time it tells. It may be standing still, so its offset says nothing about that. */
export function adjustmentOf(clock: SystemClock): (byMs: number) => void {
  return (byMs) => clock.setOffset(clock.now() + byMs - clock.machine());
}

function unusable(url: string, cause: unknown): unknown {
  // Where a name has several addresses and none answers, there is a code and no message.
  const words = cause instanceof Error ? cause.message || Reflect.get(cause, "code") : String(cause);
  const detail = `PostgreSQL at ${maskSecret(url)} cannot be used: ${words}`;
  return isLost(cause) ? new Problem("store-unavailable", detail, { cause }) : new Error(detail, { cause });
}
