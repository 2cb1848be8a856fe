// One connection to PostgreSQL that comes back by itself, with growing pauses, until it is stopped.

import { Client } from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Random } from "../../ports/random.ts";

export interface SteadyConnectionOptions {
  readonly url: string;
  /** What the database's administrator sees; also names it in the log. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Prepares each new connection, the first one too. A connection that cannot be prepared is given up. */
  prepare?(client: Client): Promise<void>;
  /** A connection is there again after it was lost. */
  onReturn(): void;
}

export interface SteadyConnection {
  /**
   * Rejects when the database refuses us, or does not answer for ten seconds: the settings are probably wrong. A database
   * that is being restarted in that moment is waited for, as it is later.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Null while there is none. */
  current(): Client | null;
  /** Gives the connection up, whatever its state, and makes a new one. */
  renew(reason: string): void;
}

const answerWithinMs = 5_000;
const goodbyeWithinMs = 1_000;
const pauseMinMs = 100;
const pauseMaxMs = 5_000;
const firstWithinMs = 10_000;

export function steadyConnection(options: SteadyConnectionOptions): SteadyConnection {
  const { clock, log, name } = options;
  let current: Client | null = null;
  let attempt: Client | null = null;
  let opening: Promise<void> = Promise.resolve();
  let failures = 0;
  let stopped = false;
  let cancelRetry: () => void = () => undefined;

  async function open(): Promise<void> {
    const client = newClient(options, lose);
    attempt = client;
    try {
      await client.connect();
      await options.prepare?.(client);
      if (stopped) throw new Error("The bus was stopped");
      current = client;
      failures = 0;
    } catch (error) {
      cut(client);
      throw error;
    } finally {
      attempt = null;
    }
  }

  async function openFirst(): Promise<void> {
    const giveUpAt = clock.now() + firstWithinMs;
    for (let tries = 0; ; tries += 1) {
      try {
        return await open();
      } catch (error) {
        if (stopped || isRefusal(error) || clock.now() >= giveUpAt) throw error;
        if (tries === 0) log.warn("PostgreSQL does not answer yet; trying again", { connection: name, error });
        await nap(pauseBefore(tries, options.random.fraction()));
      }
    }
  }

  /** Over as soon as the connection is stopped. */
  function nap(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.alarm(clock.now() + ms, resolve);
      cancelRetry = () => {
        cancel();
        resolve();
      };
    });
  }

  function lose(client: Client, reason: string): void {
    if (client !== current) return;
    current = null;
    cut(client);
    log.warn("Lost a connection of the bus; trying again", { connection: name, reason });
    retryLater();
  }

  function retryLater(): void {
    const pauseMs = pauseBefore(failures, options.random.fraction());
    failures += 1;
    cancelRetry = clock.alarm(clock.now() + pauseMs, () => {
      opening = open().then(() => {
        log.info("A connection of the bus is back", { connection: name });
        options.onReturn();
      });
      opening.catch(() => stopped || retryLater());
    });
  }

  return {
    start() {
      opening = openFirst();
      return opening;
    },
    async stop() {
      stopped = true;
      cancelRetry();
      if (attempt !== null) cut(attempt);
      // Whoever started it hears of a failure; here it only has to be over.
      await opening.catch(() => undefined);
      const client = current;
      current = null;
      if (client !== null) await endPolitely(client, clock);
    },
    current: () => current,
    renew(reason) {
      if (current !== null) lose(current, reason);
    },
  };
}

/** The database has answered, and does not want us; but for one that is starting, stopping or full, which may pass. */
function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^\d[\dA-Z]{4}$/.test(code) && !/^(?:08|53|57)/.test(code);
}

/** Between half the pause and all of it, so that many servers do not come back in one moment. */
function pauseBefore(failures: number, chance: number): number {
  return Math.min(pauseMinMs * 2 ** Math.min(failures, 10), pauseMaxMs) * (1 - chance / 2);
}

function newClient(options: SteadyConnectionOptions, onLost: (client: Client, reason: string) => void): Client {
  const client = new Client({
    connectionString: options.url,
    application_name: options.name,
    keepAlive: true,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  });
  client.on("error", (error) => onLost(client, error.message));
  client.on("end", () => onLost(client, "The connection was closed"));
  return client;
}

/** A half-open connection never answers a goodbye. */
async function endPolitely(client: Client, clock: Clock): Promise<void> {
  const cancel = clock.alarm(clock.now() + goodbyeWithinMs, () => cut(client));
  await client.end();
  cancel();
}

function cut(client: Client): void {
  client.connection.stream.destroy();
}
