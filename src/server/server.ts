// A whole server, put together from its settings: database, engine, and what listens. What is started first stops last;
// a start that fails stops what it had started.

import { Problem } from "../core/problem.ts";
import type { Engine, Operations } from "../engine/engine.ts";
import type { Executors } from "../engine/executors/executors.ts";
import type { Pushes } from "../engine/push/pushes.ts";
import type { Broker } from "../ports/broker.ts";
import { requestLimit } from "./auth/request-limit.ts";
import { type SignIn, signIn } from "./auth/sign-in.ts";
import type { ReadConfig } from "./config.ts";
import { doors } from "./doors.ts";
import { type Foundation, type FoundationParts, systemFoundation } from "./foundation.ts";
import { lifeLine } from "./life-line.ts";
import { loadMeter } from "./load-meter.ts";
import { type ServerLog, serverLog } from "./log.ts";
import { brokerField, startCourier } from "./message-broker.ts";
import { startPushes } from "./push.ts";
import type { Config } from "./settings/settings.ts";
import { startEngine } from "./start-engine.ts";
import { type SystemClock, systemClock } from "./system.ts";
import { serverTelemetry } from "./telemetry.ts";
import { readTls } from "./tls.ts";
import { builtUi } from "./ui/ui.ts";
import { readUiFiles } from "./ui/ui-files.ts";
import { readVersion } from "./version.ts";
import { webServer } from "./web-server.ts";

/** What a server is made from. */
export interface ServerOptions {
  readonly config: Config;
  /** Where each setting came from, for superusers who look at them. */
  readonly origins?: ReadConfig["origins"];
  /** Said once the log is there. */
  readonly warnings?: readonly string[];
  /** What runs internal jobs inside this server. */
  readonly broker?: Broker;
  /** Where lines of the log go instead of standard error. */
  readonly writeLog?: (line: string) => void;
  /** Folder of the dashboard's files, instead of those that come with Leadhand. */
  readonly uiFolder?: string;
}

/** A whole server: its database, its engine and what listens. */
export interface Server {
  /** Answers the address it listens on. May be called once. */
  start(): Promise<string>;
  /** Takes no more requests, finishes those in hand, and returns when all is quiet. May be called twice, at any time. */
  stop(): Promise<void>;
  /** Null before the start. */
  readonly address: string | null;
  /**
   * A code that signs somebody in to the dashboard who may do everything: once, within ten minutes, at `/ui/#code=…`. For
   * whoever is at the terminal of the server. Rejects before the start.
   */
  signInCode(): Promise<string>;
  /** What the doors ask for; for code in the same process. Throws before the start. */
  readonly operations: Operations;
}

/**
 * A server inside another program. Nothing happens before `start`.
 *
 * @example
 * ```ts
 * import { readConfig, server } from "leadhand/server";
 *
 * const leadhand = server(readConfig({ environment: process.env, flags: { port: "0" } }));
 * console.log(await leadhand.start());
 * await leadhand.stop();
 * ```
 */
export function server(options: ServerOptions): Server {
  return serverOn(systemFoundation, options);
}

/** The same server, on whatever foundation is laid for it. */
export function serverOn(
  lay: (parts: FoundationParts) => Foundation,
  { config, origins, warnings = [], broker, writeLog, uiFolder = builtUi }: ServerOptions,
): Server {
  // What listens lives by the machine's time, as those who ask do.
  const clock = systemClock();
  const log = logOf(config, clock, writeLog);
  const foundation = lay({ config, clock, log });
  const life = lifeLine(log);
  let running: Engine | null = null;
  let known: SignIn | null = null;
  const inside: Pick<Executors & Pushes, "stop">[] = [];
  let address: string | null = null;
  let starting: Promise<string> | null = null;
  let stopping: Promise<void> | null = null;
  const ending = new AbortController();

  const limit = requestLimit(config.requestsPerSecondMax, clock);

  async function begin(): Promise<string> {
    try {
      const tls = await readTls(config);
      const version = await readVersion();
      const telemetry = serverTelemetry({ clock, log, version });
      const meter = loadMeter(clock);
      life.add(meter.stop);
      const common = { config, log, version };
      const telling = { telemetry, load: meter.read, origins, broker: broker ?? null };
      const courier = await startCourier({ ...common, clock, telemetry, life });
      const started = await startEngine({ ...common, ...telling, foundation, life, courier });
      running = started.engine;
      if (started.executors !== null) inside.push(started.executors);
      const at = { clock: foundation.clock, stopping: ending.signal };
      known = signIn({ ...common, ...at, ...started });
      const uiFiles = await readUiFiles(uiFolder);
      const open = doors({ ...common, ...at, ...known, ...started, limit, telemetry, uiFiles });
      const door = webServer({
        ...{ ...listening(config), tls, clock, log, ready, metrics: telemetry.metrics, mayRead: open.admit },
        ...{ doors: open.doors, upgrades: open.upgrades },
      });
      life.add(door.stop);
      meter.watch(() => ({ http: door.connections(), ...open.connections() }));
      telemetry.requests(door.requests);
      // Before the server itself, which would wait for connections that have no end of their own.
      life.add(open.stop);
      address = (await door.start()).url;
      // Callbacks may come at once, so nothing is sent before the server listens.
      const sending = startPushes({ ...started, config, clock, address });
      inside.push(sending);
      life.add(() => sending.stop(config.stopGraceMs));
      for (const warning of warnings) log.warn(warning);
      log.info("Leadhand is ready", { address, version, database: foundation.database, ...brokerField(config) });
      return address;
    } catch (error) {
      await life.end();
      throw error;
    }
  }

  function ready(): Problem | null {
    if (stopping !== null) return new Problem("stopping", "The server is stopping");
    if (running?.ready() === true) return null;
    return new Problem("store-unavailable", `The database has not answered for ${config.leaderLeaseMs} ms`);
  }

  async function end(): Promise<void> {
    await starting?.catch(() => {});
    if (address !== null) log.info("Leadhand is stopping");
    // Long polls answer with what they know.
    ending.abort();
    // What runs inside has the same time to end as requests have, not as much again afterwards.
    // How that went is told where the life line comes to it.
    for (const each of inside) each.stop(config.stopGraceMs).catch(() => {});
    await life.end();
    if (address !== null) log.info("Leadhand has stopped");
    await log.flush();
  }

  return {
    start() {
      if (stopping !== null) return Promise.reject(new Problem("stopping", "The server was stopped"));
      starting ??= begin();
      return starting;
    },
    stop() {
      stopping ??= end();
      return stopping;
    },
    get address() {
      return address;
    },
    signInCode: async () => once(known).sessions.codeForAdmin(),
    get operations() {
      return once(running);
    },
  };
}

/** Its lines are told by the machine's clock, as those of its other programs are. */
function logOf({ logLevel, logFormat }: Config, { machine }: SystemClock, write: ServerOptions["writeLog"]): ServerLog {
  const how = { level: logLevel, format: logFormat, clock: { now: machine } };
  return serverLog({ ...how, ...(write !== undefined && { write }) });
}

/** What is there from the start on. */
function once<T>(part: T | null): T {
  if (part === null) throw new Problem("stopping", "The server has not been started");
  return part;
}

function listening({ host, port, bodyBytesMax, stopGraceMs, trustedProxies }: Config) {
  return { host, port, bodyBytesMax, stopGraceMs, trustedProxies };
}
