import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadConfig } from "../../server/config.ts";
import { databaseOf } from "../../server/database.ts";
import { server } from "../../server/server.ts";
import { systemClock } from "../../server/system.ts";
import { verifyDatabase } from "../../server/verify-database.ts";
import { commandLog } from "../command-log.ts";
import { configuredCommand } from "../configured-command.ts";
import { runDemo } from "../demo/run-demo.ts";
import { tally } from "../demo/tally.ts";
import { countsText, openingText, type Summary, summaryText } from "../demo/texts.ts";
import { liveLine } from "../live-line.ts";
import { type StopSignal, signalCode, stopRequest } from "../stop-signal.ts";
import { UsageError } from "../usage-error.ts";

const tasksByDefault = 10_000;
const tasksMax = 1_000_000;

const usage = [
  "Usage: leadhand demo [--tasks N] [--json] [settings]",
  "",
  "Runs a server with sample jobs and workers in one process, pushes tasks through",
  "it (some fail and are tried again, some wait for their time, some are",
  "cancelled), shows how far it is, and checks every history in the end.",
  "",
  `  --tasks ${tasksByDefault}   how many tasks`,
  "  --json          print the summary as JSON",
  "",
  "The database is a file in a temporary folder that goes with the demo, or in",
  "LEADHAND_DATA (--data), where it stays. The port is any that is free unless",
  "LEADHAND_PORT (--port) says one. A PostgreSQL in the settings is left alone.",
  "",
  "Exit codes: 0 every task ended and every history is sound, 1 not so, 2 the",
  "command line or a setting is wrong, 130 interrupted.",
].join("\n");

export const command = configuredCommand({
  name: "demo",
  summary: "see a server at work: sample jobs, workers and tasks, for a few seconds",
  usage,
  flags: { tasks: { type: "string" }, json: { type: "boolean" } },
  async run({ read, flags }) {
    const tasks = taskCount(flags["tasks"]);
    const place = await placeFor(read);
    const request = stopRequest(["SIGINT", "SIGTERM", "SIGHUP"], place.clean);
    try {
      const outcome = await demonstrate(place.config, tasks, flags["json"] === true, request.asked);
      if (typeof outcome === "string") {
        console.error("leadhand demo: interrupted");
        return signalCode(outcome);
      }
      return outcome.faults === 0 && outcome.verified >= tasks ? 0 : 1;
    } finally {
      place.clean();
      request.end();
    }
  },
});

function taskCount(given: unknown): number {
  if (given === undefined) return tasksByDefault;
  const tasks = /^\d+$/.test(String(given)) ? Number(given) : 0;
  if (tasks >= 1 && tasks <= tasksMax) return tasks;
  throw new UsageError(`--tasks: "${given}" is not a whole number from 1 to ${tasksMax}`);
}

interface Place {
  readonly config: ReadConfig["config"];
  /** Removes what is temporary; may be called twice, and in a process that is about to end. */
  clean(): void;
}

/** What the user has set counts; what nobody has set must not get in anybody's way. */
async function placeFor({ config, origins }: ReadConfig): Promise<Place> {
  const isSet = (name: "data" | "port" | "logLevel"): boolean => origins[name].kind !== "default";
  const temporary = isSet("data") ? null : await mkdtemp(join(tmpdir(), "leadhand-demo-"));
  return {
    config: {
      ...config,
      databaseUrl: null,
      databaseListenUrl: null,
      data: temporary ?? config.data,
      port: isSet("port") ? config.port : 0,
      logLevel: isSet("logLevel") ? config.logLevel : "warn",
    },
    clean() {
      if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Answers the signal that interrupted it, if one did. */
async function demonstrate(
  config: Place["config"],
  tasks: number,
  asJson: boolean,
  asked: Promise<StopSignal>,
): Promise<Summary | StopSignal> {
  const { now } = systemClock();
  const interruption = interruptionBy(asked);
  const serving = server({ config });
  const counted = tally();
  let seconds = 0;
  try {
    const address = await serving.start();
    if (!asJson) console.log(openingText(address, databaseOf(config), tasks));
    const startedAt = now();
    const line = liveLine({ out: asJson ? process.stderr : process.stdout, now });
    const drawing = setInterval(() => line.show(countsText(counted.counts(), (now() - startedAt) / 1_000)), drawMs);
    try {
      await runDemo({ operations: serving.operations, tasks, tally: counted, now, signal: interruption.signal });
    } finally {
      seconds = (now() - startedAt) / 1_000;
      clearInterval(drawing);
      line.end();
    }
  } finally {
    await serving.stop();
  }
  if (interruption.signal.aborted) return interruption.signal.reason as StopSignal;
  const { tasks: verified, events, faults } = await verifyDatabase(databaseOf(config), { log: commandLog(config) });
  const summary = { ...counted.counts(), seconds, verified, events, faults: faults.length };
  console.log(asJson ? JSON.stringify(summary) : summaryText(summary));
  return summary;
}

const drawMs = 50;

/** Aborted by the first signal, with the signal as its reason. */
function interruptionBy(asked: Promise<StopSignal>): AbortController {
  const interruption = new AbortController();
  void asked.then((signal) => interruption.abort(signal));
  // Nobody reads any more: as good as Ctrl-C.
  process.stdout.on("error", () => interruption.abort("SIGINT" satisfies StopSignal));
  return interruption;
}
