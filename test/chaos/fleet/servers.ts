// Servers on one PostgreSQL, each a process of its own that may be killed, stopped and started again on the same port. Each
// listens to the others through a proxy that can fall silent.

import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { type CuttingProxy, cuttingProxy } from "../../../src/testing/cutting-proxy.ts";
import { freePort } from "../../../tools/free-port.ts";
import { compiled, type Environment, run, type Serving, serve, temporaryFolder } from "../../leadhand-process.ts";
import type { PrivatePostgres } from "../private-postgres.ts";

export interface FleetServer {
  readonly name: string;
  readonly url: string;
  /** As the database knows it. */
  readonly address: string;
  /** Whether it has been told to be there, and is. */
  readonly isUp: boolean;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** SIGTERM; answers how it ended. */
  stop(): Promise<number | NodeJS.Signals>;
  /** What it listens by carries nothing any more, and nobody is told. */
  deafen(): void;
  /** Of warnings and errors, but for those that only say that a connection broke. */
  log(): string;
}

export interface FleetServers {
  readonly all: readonly FleetServer[];
  readonly environment: Environment;
  /** Of ada, who may do what users may, and of an admin. */
  readonly token: string;
  readonly adminToken: string;
  leader(): Promise<FleetServer | undefined>;
}

const internal = fileURLToPath(new URL("./internal-jobs.ts", import.meta.url));

/** Every window is five seconds, as /work has it by itself. */
export const windowMs = 5_000;
/** For how long a worker of the fleet may hold a job. */
export const stuckMs = 15_000;
const settings: Environment = {
  LEADHAND_WORKER_TIMEOUT_SECONDS: `${windowMs / 1_000}`,
  LEADHAND_START_WITHIN: "5s",
  LEADHAND_WORKER_UNREACHABLE_THRESHOLD_MS: "3000",
  LEADHAND_WORKER_OFFLINE_THRESHOLD_MS: `${windowMs}`,
  LEADHAND_BLACKBOARD_STUCK_JOB_TIMEOUT: `${stuckMs}`,
  LEADHAND_INTERNAL: internal,
  LEADHAND_INTERNAL_LOST_AFTER: "5s",
  LEADHAND_PUSH_LEASE: "5s",
  LEADHAND_PUSH_ALLOW_PRIVATE: "true",
  LEADHAND_MAX_LEASE_REQUEUES: "100",
  LEADHAND_LOG_LEVEL: "warn",
};

export async function fleetServers(
  own: PrivatePostgres,
  names: readonly string[],
  others: Environment = {},
): Promise<FleetServers> {
  const environment = {
    ...{ ...settings, ...others },
    DATABASE_URL: own.postgres.url,
    NODE_COMPILE_CACHE: compiled ?? (await temporaryFolder()),
  };
  const all: FleetServer[] = [];
  // The first makes the tables.
  for (const name of names) all.push(await fleetServer(name, own.postgres.url, environment));
  const tokenOf = async (...words: string[]): Promise<string> => {
    const created = await run(["token", "create", ...words], environment);
    if (created.code !== 0) throw new Error(`No token: ${created.err}`);
    return created.out.trim();
  };
  return {
    ...{ all, environment },
    token: await tokenOf("--user", "ada"),
    adminToken: await tokenOf("--user", "root", "--role", "admin"),
    async leader() {
      const text = "select address from leadhand.leader join leadhand.node on node.id = leader.node";
      const [row] = await own.query<{ address: string }>(text);
      return all.find(({ address }) => address === row?.address);
    },
  };
}

async function fleetServer(name: string, databaseUrl: string, shared: Environment): Promise<FleetServer> {
  const port = await freePort();
  const ear: CuttingProxy = await cuttingProxy(databaseUrl);
  after(ear.stop);
  const environment = {
    ...shared,
    LEADHAND_DATA: await temporaryFolder(),
    LEADHAND_DATABASE_LISTEN_URL: ear.url,
  };
  let running: Serving | null = await serve(["--port", `${port}`], environment);
  let logged = "";

  async function gone({ ended, err }: Serving): Promise<number | NodeJS.Signals> {
    running = null;
    const code = await ended;
    logged += err();
    return code;
  }

  return {
    ...{ name, url: `http://127.0.0.1:${port}`, address: `127.0.0.1:${port}` },
    get isUp() {
      return running !== null;
    },
    async start() {
      running = await serve(["--port", `${port}`], environment);
    },
    async kill() {
      if (running === null) return;
      running.child.kill("SIGKILL");
      await gone(running);
    },
    async stop() {
      if (running === null) return 0;
      running.child.kill("SIGTERM");
      return gone(running);
    },
    deafen: () => ear.silence(),
    log: () =>
      (logged + (running?.err() ?? ""))
        .split("\n")
        .filter(
          (line) => !/A connection to PostgreSQL failed|PostgreSQL went away|Lost a connection of the bus/.test(line),
        )
        .join("\n"),
  };
}
