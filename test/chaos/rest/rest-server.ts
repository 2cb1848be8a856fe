// `leadhand serve` as a process of its own, that may be killed and started again on the same data and the same port.

import { setTimeout as pause } from "node:timers/promises";
import { type Database, databaseOf } from "../../../src/server/database.ts";
import {
  compiled,
  type Ended,
  type Environment,
  leadhand,
  run,
  serve,
  temporaryFolder,
} from "../../leadhand-process.ts";

export interface RestServer {
  /** The same after every start. */
  readonly url: string;
  /** Of ada, who may do what users may. */
  readonly token: string;
  tokenOf(user: string): Promise<string>;
  readonly database: Database;
  /** Resolves as soon as it listens. */
  there(): Promise<void>;
  start(): Promise<void>;
  /** Starts, and is killed so long after that, ready or not. */
  startInVain(livesMs: number): Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; answers how it ended. */
  stop(): Promise<number | NodeJS.Signals>;
  /** Another command of ours, with the settings of this server. */
  command(...args: string[]): Promise<Ended>;
  /** Of the process that runs now. */
  pid(): number;
  /** What its processes have written to their logs. */
  log(): string;
}

/** Windows short enough that losing a worker takes two seconds, and leading after a kill less than that. */
export const quick: Environment = {
  LEADHAND_WORKER_TIMEOUT_SECONDS: "2",
  LEADHAND_START_WITHIN: "1500ms",
  LEADHAND_PULSE_INTERVAL: "200ms",
  LEADHAND_LEADER_LEASE: "1s",
  LEADHAND_LOG_LEVEL: "warn",
};

export interface RestServerOptions {
  /** Without it the server keeps its tasks in a file. */
  readonly databaseUrl?: string;
  readonly settings?: Environment;
  /** Any where absent. */
  readonly port?: number;
}

/** Started; its data goes with the test file. */
export async function restServer({
  databaseUrl,
  settings = {},
  port: wanted = 0,
}: RestServerOptions = {}): Promise<RestServer> {
  const data = await temporaryFolder();
  const environment = {
    ...quick,
    ...settings,
    LEADHAND_DATA: data,
    // Many starts of the same program: all but the first find it compiled.
    NODE_COMPILE_CACHE: compiled ?? (await temporaryFolder()),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  const command = (...args: string[]) => run(args, environment);
  let running = await serve(["--port", `${wanted}`], environment);
  const { url } = running;
  const port = ["--port", new URL(url).port];
  let arrival = Promise.withResolvers<void>();
  arrival.resolve();
  let logged = "";

  async function tokenOf(user: string): Promise<string> {
    const created = await command("token", "create", "--user", user);
    if (created.code !== 0) throw new Error(`No token: ${created.err}`);
    return created.out.trim();
  }

  async function gone(): Promise<void> {
    await running.ended;
    logged += running.err();
    running = { ...running, err: () => "" };
  }

  function leave(): void {
    arrival = Promise.withResolvers<void>();
  }

  return {
    ...{ url, command, tokenOf, token: await tokenOf("ada") },
    database: databaseOf({ data, databaseUrl: databaseUrl ?? null, databaseListenUrl: null }),
    there: () => arrival.promise,
    async start() {
      running = await serve(port, environment);
      arrival.resolve();
    },
    async startInVain(livesMs) {
      const victim = leadhand(["serve", ...port], environment);
      await pause(livesMs);
      victim.child.kill("SIGKILL");
      await victim.ended;
      logged += victim.err();
    },
    async kill() {
      leave();
      running.child.kill("SIGKILL");
      await gone();
    },
    async stop() {
      leave();
      const code = await running.stop();
      await gone();
      return code;
    },
    pid: () => running.child.pid as number,
    log: () => logged + running.err(),
  };
}
