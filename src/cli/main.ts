// The command line: finds the command, loads it and nothing else, and hands it the arguments.

import type { Command } from "./command.ts";
import { nearestName } from "./nearest-name.ts";

type Load = () => Promise<{ readonly command: Command }>;

/** Every command by its name. Loaded on use, so that `leadhand submit` does not wait for the server's code. */
const commands = {
  demo: () => import("./commands/demo.ts"),
  serve: () => import("./commands/serve.ts"),
  worker: () => import("./commands/worker.ts"),
  up: () => import("./commands/up.ts"),
  "internal-worker": () => import("./commands/internal-worker.ts"),
  submit: () => import("./commands/submit.ts"),
  tasks: () => import("./commands/tasks.ts"),
  explain: () => import("./commands/explain.ts"),
  logs: () => import("./commands/logs.ts"),
  cancel: () => import("./commands/cancel.ts"),
  retry: () => import("./commands/retry.ts"),
  jobs: () => import("./commands/jobs.ts"),
  queues: () => import("./commands/queues.ts"),
  specs: () => import("./commands/specs.ts"),
  workers: () => import("./commands/workers.ts"),
  rooms: () => import("./commands/rooms.ts"),
  providers: () => import("./commands/providers.ts"),
  audit: () => import("./commands/audit.ts"),
  nodes: () => import("./commands/nodes.ts"),
  open: () => import("./commands/open.ts"),
  doctor: () => import("./commands/doctor.ts"),
  bench: () => import("./commands/bench.ts"),
  config: () => import("./commands/config.ts"),
  token: () => import("./commands/token.ts"),
  migrate: () => import("./commands/migrate.ts"),
  verify: () => import("./commands/verify.ts"),
  backup: () => import("./commands/backup.ts"),
  version: () => import("./commands/version.ts"),
} as const satisfies Record<string, Load>;

/** Exit codes: what the command answers; 2 when the command line itself is wrong. */
export async function main(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    console.log(await helpText());
    return first === undefined ? 2 : 0;
  }
  const name = first === "--version" || first === "-v" ? "version" : first;
  if (!isCommand(name)) {
    console.error(unknownText(first));
    return 2;
  }
  const { command } = await commands[name]();
  return command.run(rest);
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name);
}

async function helpText(): Promise<string> {
  const loaded = await Promise.all(Object.values(commands).map((load: Load) => load()));
  const width = Math.max(...loaded.map(({ command }) => command.name.length));
  const lines = loaded.map(({ command }) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return [
    "Usage: leadhand <command> [options]",
    "",
    "Commands:",
    ...lines,
    "",
    "`leadhand <command> --help` explains a command, `leadhand --version` prints the version.",
  ].join("\n");
}

function unknownText(name: string): string {
  const nearest = nearestName(name, Object.keys(commands));
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return `leadhand: unknown command "${name}".${hint} \`leadhand --help\` lists them all.`;
}
