// Private RabbitMQ nodes for tests, chaos and benchmarks: a folder, a name and ports of their own, gone afterwards. Even
// the daemon by which Erlang's nodes find each other is their own, so that nothing on the machine is shared.

import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { lastingPort } from "./free-port.ts";
import { findRabbitmq, howToGetRabbitmq, installRabbitmq } from "./rabbitmq-programs.ts";

/** Everything needed to command a node from another process. Plain JSON. */
export type RabbitmqControl = {
  /** Where its programs are. */
  readonly programs: string;
  readonly folder: string;
  readonly node: string;
  readonly port: number;
  readonly distPort: number;
  readonly epmdPort: number;
};

export type RabbitmqSwitch = {
  /** In good order: what is persistent is on disk. */
  down(): Promise<void>;
  /** Dies at once. */
  kill(): Promise<void>;
  up(): Promise<void>;
  restart(): Promise<void>;
  /** `rabbitmqctl` with these arguments; answers what it printed. It takes a second or two. */
  ctl(...args: string[]): Promise<string>;
};

export type Rabbitmq = RabbitmqSwitch & {
  readonly url: string;
  readonly control: RabbitmqControl;
  /** Stops the node and removes its folder. May be called twice. */
  stop(): Promise<void>;
};

export type RabbitmqOptions = {
  /** Lines of rabbitmq.conf that override ours, such as `consumer_timeout`. */
  readonly settings?: Readonly<Record<string, string | number>>;
};

/** No RabbitMQ was found and none could be installed; the message says what to do. */
export class NoRabbitmq extends Error {
  override readonly name = "NoRabbitmq";
}

const triesForPorts = 3;
const startMsMax = 90_000;
const stopMsMax = 60_000;
const lookMs = 50;

export async function startRabbitmq(options: RabbitmqOptions = {}): Promise<Rabbitmq> {
  const programs = findRabbitmq() ?? installRabbitmq();
  if (programs === undefined) throw new NoRabbitmq(howToGetRabbitmq);
  // Ports were free when we asked; should another process have taken one since, we ask again.
  for (let attempt = 1; ; attempt++) {
    const control = await newHome(programs, options);
    const release = startGuard(control);
    try {
      await brokerSwitch(control).up();
      return handle(control, release);
    } catch (error) {
      await removeRabbitmq(control).finally(release);
      if (attempt === triesForPorts) throw error;
    }
  }
}

/** Commands a node that another process started. */
export function brokerSwitch(control: RabbitmqControl): RabbitmqSwitch {
  const ctl = async (...args: string[]) => {
    const all = ["-q", "-n", control.node, ...args];
    const { stdout } = await promisify(execFile)(join(control.programs, "rabbitmqctl"), all, {
      env: environmentOf(control),
      timeout: stopMsMax,
    });
    return stdout;
  };
  const end = async (signal: NodeJS.Signals) => {
    const pid = await pidOf(control);
    if (pid === undefined || !sendSignal(pid, signal)) return;
    await untilTrue(`RabbitMQ ${pid} has ended`, stopMsMax, () => !sendSignal(pid, 0));
  };
  const up = () => begin(control);
  return {
    ctl,
    // The Erlang machine takes this signal for a stop in good order, and no second program has to be started for it.
    down: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    up,
    async restart() {
      await end("SIGTERM");
      await up();
    },
  };
}

/** Ends the node if it runs and removes its folder. */
export async function removeRabbitmq(control: RabbitmqControl): Promise<void> {
  await brokerSwitch(control)
    .kill()
    .catch(() => undefined);
  // The node started it, and it outlives the node.
  const epmd = ["-port", `${control.epmdPort}`, "-kill"];
  await promisify(execFile)("epmd", epmd, { timeout: 10_000 }).catch(() => undefined);
  await rm(control.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

export function rabbitmqUrl({ port }: Pick<RabbitmqControl, "port">): string {
  return `amqp://guest:guest@127.0.0.1:${port}`;
}

function handle(control: RabbitmqControl, release: () => void): Rabbitmq {
  let stopped: Promise<void> | undefined;
  return {
    ...brokerSwitch(control),
    url: rabbitmqUrl(control),
    control,
    stop() {
      stopped ??= removeRabbitmq(control).finally(release);
      return stopped;
    },
  };
}

async function newHome(programs: string, options: RabbitmqOptions): Promise<RabbitmqControl> {
  const folder = await mkdtemp(join(tmpdir(), "leadhand-rabbitmq-"));
  // The node is stopped and started again, and has to find all of them as it left them.
  const [port, distPort, epmdPort] = await Promise.all([lastingPort(), lastingPort(), lastingPort()]);
  const settings = {
    "listeners.tcp.default": `127.0.0.1:${port}`,
    "disk_free_limit.absolute": "50MB",
    "log.file.level": "warning",
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(folder, "rabbitmq.conf"), lines.join(""));
  await writeFile(join(folder, "plugins"), "[].\n");
  return { programs, folder, node: `leadhand${port}@localhost`, port, distPort, epmdPort };
}

async function begin(control: RabbitmqControl): Promise<void> {
  const { programs, folder, port } = control;
  const log = openSync(join(folder, "out"), "a");
  const child = spawn(join(programs, "rabbitmq-server"), [], {
    ...{ env: environmentOf(control), cwd: folder, detached: true, stdio: ["ignore", log, log] },
  });
  closeSync(log);
  child.unref();
  let failure: Error | null = null;
  child.once("error", (error) => (failure = error));
  child.once("exit", (code) => (failure ??= new Error(`it ended with ${code}`)));
  try {
    if (child.pid !== undefined) await writeFile(pidFile(control), `${child.pid}`);
    await untilTrue("it takes connections", startMsMax, () => {
      if (failure !== null) throw failure;
      return answers(port);
    });
  } catch (cause) {
    const said = await readFile(join(folder, "out"), "utf8").catch(() => "");
    throw new Error(`RabbitMQ did not start:\n${said.split("\n").slice(-30).join("\n")}`, { cause });
  }
}

/** Nothing of the caller's own RabbitMQ may reach a private node. */
function environmentOf({ folder, node, port, distPort, epmdPort }: RabbitmqControl): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(RABBITMQ_|ERL_)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    HOME: folder,
    ERL_EPMD_PORT: `${epmdPort}`,
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: node,
    RABBITMQ_NODE_PORT: `${port}`,
    RABBITMQ_DIST_PORT: `${distPort}`,
    // Any port that is free: commands of several nodes may run at once.
    RABBITMQ_CTL_DIST_PORT_MIN: "0",
    RABBITMQ_CTL_DIST_PORT_MAX: "0",
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq"),
    RABBITMQ_CONF_ENV_FILE: join(folder, "none"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
    RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    // The script becomes the node, so that the process we started is the one we signal.
    detached: "true",
  };
}

function pidFile({ folder }: RabbitmqControl): string {
  return join(folder, "started-pid");
}

/** Of a node that runs. */
export async function rabbitmqPid(control: RabbitmqControl): Promise<number> {
  const pid = await pidOf(control);
  if (pid === undefined) throw new Error(`RabbitMQ ${control.node} does not run`);
  return pid;
}

async function pidOf(control: RabbitmqControl): Promise<number | undefined> {
  const text = await readFile(pidFile(control), "utf8").catch(() => "");
  return text === "" ? undefined : Number(text);
}

/** Whether there was somebody to get it. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** A port that is open says little; a broker that is up answers the first eight bytes. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (up: boolean) => {
      socket.destroy();
      resolve(up);
    };
    socket.once("connect", () => socket.write(Buffer.from("AMQP\u0000\u0000\u0009\u0001", "latin1")));
    socket.once("data", () => end(true));
    socket.once("close", () => end(false)).once("error", () => end(false));
  });
}

async function untilTrue(what: string, limitMs: number, look: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + limitMs;
  while (!(await look())) {
    if (performance.now() > until) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await pause(lookMs);
  }
}

/**
 * A process that waits for the end of ours, however it comes, and then cleans up. Without it a run that is killed would
 * leave a node behind.
 */
function startGuard(control: RabbitmqControl): () => void {
  const file = fileURLToPath(new URL("./rabbitmq-guard.ts", import.meta.url));
  const guard = spawn(process.execPath, [file, JSON.stringify(control)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  // Our end of the pipe must not keep us alive either; types do not know that it is a socket.
  (guard.stdin as unknown as { unref(): void }).unref();
  return () => guard.stdin.end();
}
