import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadConfig } from "../../server/config.ts";
import { databaseOf } from "../../server/database.ts";
import { parseDuration } from "../../server/settings/duration.ts";
import { systemClock } from "../../server/system.ts";
import { verifyDatabase } from "../../server/verify-database.ts";
import { hasDisplay, openInBrowser } from "../browser.ts";
import { commandLog } from "../command-log.ts";
import { configuredCommand } from "../configured-command.ts";
import { runDemo } from "../demo/run-demo.ts";
import { type Show, show } from "../demo/show.ts";
import { type Summary, summaryText } from "../demo/texts.ts";
import type { View } from "../demo/watching.ts";
import { type StopSignal, signalCode, stopRequest } from "../stop-signal.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand demo [--for 10s] [--no-open] [--json] [settings]",
  "",
  "Starts a server, two workers with sample jobs, and submits tasks to it: short",
  "ones, long ones that tell how far they are, some that fail and are tried again,",
  "some that are cancelled. Shows them live, and the commands to try against it in",
  "a second terminal. Its dashboard opens in the browser, signed in, where there is",
  "a terminal and a display; else a link leads there. In the end every history is",
  "checked.",
  "",
  "  --for 10s       ends by itself; else Ctrl-C ends it, or, where it is not shown",
  "                  on a terminal, ten seconds",
  "  --no-open       leave the browser alone",
  "  --json          print only the summary, as JSON",
  "",
  "The database is a file in a temporary folder that goes with the demo, or in",
  "LEADHAND_DATA (--data), where it stays. The port is any that is free unless",
  "LEADHAND_PORT (--port) says one. A PostgreSQL in the settings is left alone.",
  "",
  "Exit codes: 0 it ended, by Ctrl-C too, and every history is sound, 1 not so, 2",
  "the command line or a setting is wrong, 129 or 143 ended by another signal.",
].join("\n");

export const command = configuredCommand({
  name: "demo",
  summary: "see a server at work: sample jobs, workers and tasks, live",
  usage,
  flags: { for: { type: "string" }, "no-open": { type: "boolean" }, json: { type: "boolean" } },
  async run({ read, flags }) {
    const forMs = durationOf(flags["for"], process.stdout.isTTY);
    const place = await placeFor(read);
    const shown = show({ isQuiet: flags["json"] === true, forMs, data: place.config.data });
    const opens = flags["no-open"] !== true && hasDisplay();
    const request = stopRequest(["SIGINT", "SIGTERM", "SIGHUP"], () => {
      shown.end();
      place.clean();
    });
    try {
      return await demonstrate({ ...place, forMs, shown, opens, asked: request.asked, asJson: flags["json"] === true });
    } finally {
      shown.end();
      place.clean();
      request.end();
    }
  },
});

const unwatchedMs = 10_000;
const forMsMax = 24 * 3_600_000;

/** Null is until somebody ends it. */
function durationOf(given: unknown, isTerminal: boolean): number | null {
  if (given === undefined) return isTerminal ? null : unwatchedMs;
  const ms = /^\d+$/.test(String(given)) ? undefined : parseDuration(String(given), "");
  if (ms !== undefined && ms > 0 && ms <= forMsMax) return ms;
  throw new UsageError(`--for: "${given}" is not a duration like 10s or 5m, up to 24h`);
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
      ...{ databaseUrl: null, databaseListenUrl: null, tlsCert: null, tlsKey: null, pathPrefix: null },
      data: temporary ?? config.data,
      port: isSet("port") ? config.port : 0,
      logLevel: isSet("logLevel") ? config.logLevel : "error",
    },
    clean() {
      if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** The longest of the sample tasks. */
const longestMs = 3_500;

type Ended = StopSignal | "time" | "nobody reads";

interface Showing extends Pick<Place, "config"> {
  readonly forMs: number | null;
  readonly shown: Show;
  /** In a browser too. */
  readonly opens: boolean;
  readonly asked: Promise<StopSignal>;
  readonly asJson: boolean;
}

async function demonstrate({ config, forMs, shown, opens, asked, asJson }: Showing): Promise<number> {
  const { now } = systemClock();
  const [over, closing] = [new AbortController(), new AbortController()];
  const end = (why: Ended): void => over.abort(why);
  void asked.then(end);
  process.stdout.on("error", () => end("nobody reads"));
  const timers: NodeJS.Timeout[] = [];
  let startedAt = now();
  const onStart = (url: string, dashboard: string): void => {
    startedAt = now();
    shown.start(url, dashboard);
    // The link signs in: it is for whoever sits here alone.
    if (opens && shown.isPrivate) void openInBrowser(dashboard);
    if (forMs === null) return;
    const lastSubmitMs = Math.max(forMs / 2, forMs - longestMs);
    timers.push(
      setTimeout(() => closing.abort(), lastSubmitMs),
      setTimeout(() => end("time"), forMs),
    );
  };
  const signals = { over: over.signal, closing: closing.signal };
  const view = await runDemo({
    config,
    now,
    ...signals,
    signsIn: shown.isPrivate,
    onStart,
    onView: shown.view,
  }).finally(() => {
    for (const timer of timers) clearTimeout(timer);
    shown.end();
  });
  const ended = over.signal.reason as Ended;
  if (ended === "nobody reads") return signalCode("SIGINT");
  if (ended !== "time" && ended !== "SIGINT") return signalCode(ended);
  return verified(config, view, (now() - startedAt) / 1_000, asJson);
}

async function verified(config: Place["config"], view: View, seconds: number, asJson: boolean): Promise<number> {
  const { tasks, events, faults } = await verifyDatabase(databaseOf(config), { log: commandLog(config) });
  const summary: Summary = { ...view.counts, seconds, verified: tasks, events, faults: faults.length };
  console.log(asJson ? JSON.stringify(summary) : summaryText(summary));
  return faults.length === 0 ? 0 : 1;
}
