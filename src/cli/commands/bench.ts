import { restApi } from "../../sdk/rest-api.ts";
import type { ReadConfig } from "../../server/config.ts";
import { askedServer } from "../asked-server.ts";
import { Interruption } from "../asking-command.ts";
import { ownServer } from "../bench/own-server.ts";
import { type BenchResult, runBench } from "../bench/run-bench.ts";
import { configuredCommand, type Given } from "../configured-command.ts";
import { wholeNumber } from "../page-flags.ts";
import { printTable } from "../print.ts";
import { refusalLines } from "../refusal-text.ts";
import { signalCode, stopRequest } from "../stop-signal.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand bench [--tasks N] [--concurrency N] [--url URL] [settings]",
  "",
  "Measures how fast tasks are submitted, picked up and done: tasks that do nothing,",
  "payloads of 200 bytes, a server and a worker in processes of their own. Other",
  "work on the machine counts against it.",
  "",
  "  --tasks N       how many are submitted and done; 20000 unless said",
  "  --concurrency N how many the worker runs side by side; 100 unless said",
  "  --url URL       a server that is running, with the token of --token or",
  "                  LEADHAND_TOKEN; its history will have the tasks",
  "  --json          print JSON, for programs",
  "",
  "Without --url it starts a server of its own on a file in a temporary folder. With",
  "a PostgreSQL in the settings (--database-url, DATABASE_URL) it makes a database of",
  "its own there. Both are gone afterwards.",
  "",
  "Exit codes: 0 done, 1 it could not be measured, 2 the command line or a setting",
  "is wrong, 130 stopped by Ctrl-C.",
].join("\n");

const tasksUnlessSaid = 20_000;
const tasksMax = 1_000_000;
const concurrencyUnlessSaid = 100;
const concurrencyMax = 10_000;

export const command = configuredCommand({
  name: "bench",
  summary: "measure how fast tasks are submitted, picked up and done",
  usage,
  flags: {
    ...{ tasks: { type: "string" }, concurrency: { type: "string" } },
    ...{ url: { type: "string" }, token: { type: "string" }, json: { type: "boolean" } },
  },
  async run({ read, flags }) {
    const tasks = wholeNumber(flags, "tasks", 1, tasksMax) ?? tasksUnlessSaid;
    const concurrency = wholeNumber(flags, "concurrency", 1, concurrencyMax) ?? concurrencyUnlessSaid;
    const stop = stopRequest(["SIGINT", "SIGTERM"]);
    const interruption = new AbortController();
    void stop.asked.then((signal) => interruption.abort(new Interruption(signal)));
    const { signal } = interruption;
    try {
      const place = await placeFor(read, flags, signal);
      try {
        if (flags["json"] !== true) console.error(`leadhand bench: ${place.words}, ${tasks} tasks`);
        const result = await runBench({ ...place, tasks, concurrency, signal });
        if (flags["json"] === true) console.log(JSON.stringify({ server: place.store, tasks, concurrency, ...result }));
        else print(result);
        return 0;
      } finally {
        await place.stop();
      }
    } catch (error) {
      if (signal.aborted) return signalCode((signal.reason as Interruption).signal);
      throw error;
    } finally {
      stop.end();
    }
  },
});

interface Place {
  readonly url: string;
  readonly token: string;
  /** For programs: what the server keeps its tasks in, as far as we know. */
  readonly store: "sqlite" | "postgres" | "running";
  /** For people. */
  readonly words: string;
  stop(): Promise<void>;
}

async function placeFor({ config, origins }: ReadConfig, flags: Given["flags"], signal: AbortSignal): Promise<Place> {
  if (flags["url"] !== undefined) {
    const { url, token, tokenFrom } = await askedServer(flags);
    if (token === null) throw new UsageError(`There is no token (${tokenFrom})`);
    await checkAnswers(url, token, signal);
    return { url, token, store: "running", words: `the server at ${url}`, async stop() {} };
  }
  if (flags["token"] !== undefined) throw new UsageError("--token is for the server of --url");
  const logLevel = origins.logLevel.kind === "default" ? "error" : config.logLevel;
  const store = config.databaseUrl === null ? "sqlite" : "postgres";
  const words = `a server of its own on ${store === "sqlite" ? "SQLite" : "PostgreSQL"}`;
  return { ...(await ownServer({ ...config, logLevel }, signal)), store, words };
}

/** Better told now than by a worker that waits for the server to come back. */
async function checkAnswers(url: string, token: string, signal: AbortSignal): Promise<void> {
  const { request } = restApi({ url, getHeaders: () => ({ authorization: `Bearer ${token}` }) });
  await request("GET", "/me", { signal }).catch((error: unknown) => {
    const lines = refusalLines(error);
    throw lines === null ? error : new Error(lines.join("\n"), { cause: error });
  });
}

function print({ submit, drain, pickup }: BenchResult): void {
  const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString("en-US")}/s`;
  const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  printTable(
    [{ head: "WHAT" }, { head: "RATE", right: true }, { head: "P50", right: true }, { head: "P99", right: true }],
    [
      ["submit, one task in a request", rate(submit.perSecond), ms(submit.p50Ms), ms(submit.p99Ms)],
      ["drain, one worker", rate(drain.perSecond), "", ""],
      ["from submit to handler, idle", "", ms(pickup.p50Ms), ms(pickup.p99Ms)],
    ],
  );
}
