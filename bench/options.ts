// The words of the command line.

import { parseArgs } from "node:util";

export const storeNames = ["memory", "sqlite", "postgres", "redis", "redis-fsync"] as const;
export type StoreName = (typeof storeNames)[number];

export const suiteNames = ["store", "rest", "live", "compare", "nodes", "amqp", "ui"] as const;
export type SuiteName = (typeof suiteNames)[number];

export interface Options {
  /** What is measured: stores and engine in-process, a server over HTTP, one with workers and viewers, its peers, several of them, behind RabbitMQ, or in a browser. */
  readonly suite: SuiteName;
  readonly stores: readonly StoreName[];
  /** Only measurements whose name begins so. */
  readonly only: readonly string[];
  /** Tiny sizes and one run, to see that everything works; nothing is written. */
  readonly quick: boolean;
  /** Profile what is timed; nothing is written, because profiling slows it down. */
  readonly cpuProf: boolean;
  /** How long measurements go on that are about minutes; null: as long as they say themselves. */
  readonly minutes: number | null;
  readonly list: boolean;
  readonly help: boolean;
}

const about: Readonly<Record<SuiteName, string>> = {
  store: "Measures the stores and the engine in-process",
  rest: "Measures one server over HTTP",
  live: "Measures one server with workers and viewers in processes of their own",
  compare: "Measures the /work door beside other job queues",
  nodes: "Measures two servers on one PostgreSQL beside one",
  amqp: "Measures one server with consumers behind a private RabbitMQ",
  ui: "Measures the dashboard in Chromium, and what it asks of the server",
};

export function usage(suite: SuiteName): string {
  return `Usage: npm run bench:${suite} -- [options]

${about[suite]} and writes bench/results.json and bench/RESULTS.md.

  --only NAME    only measurements whose name begins so; may be given more than once
  --store NAME   ${defaultStores(suite).join(", ")}; all of them when left out (memory: a few of the store's alone, never written)
  --quick        tiny sizes, one run, nothing written
  --cpu-prof     profile the timed parts, one run, nothing written
  --minutes N    how long the browser is left open to events, instead of 5 (bench:ui)
  --list         the names`;
}

export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true, default: [] },
      store: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      "cpu-prof": { type: "boolean", default: false },
      minutes: { type: "string" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { only, quick, list, help } = values;
  const suite = suiteName(positionals[0]);
  return {
    suite,
    stores: values.store?.map(storeName) ?? defaultStores(suite),
    only,
    quick,
    cpuProf: values["cpu-prof"],
    minutes: minutesOf(values.minutes),
    list,
    help,
  };
}

/** Redis is what a peer keeps its tasks in, with its usual durability and with a sync for every write. */
function defaultStores(suite: SuiteName): readonly StoreName[] {
  if (suite === "nodes") return ["postgres"];
  return suite === "compare" ? ["sqlite", "postgres", "redis", "redis-fsync"] : ["sqlite", "postgres"];
}

function minutesOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const minutes = Number(text);
  if (!(minutes >= 1)) throw new Error(`--minutes ${text}: at least 1`);
  return minutes;
}

function suiteName(text: string | undefined): SuiteName {
  const name = suiteNames.find((each) => each === text);
  if (name === undefined) throw new Error(`Say what to measure: ${suiteNames.join(" or ")}`);
  return name;
}

function storeName(text: string): StoreName {
  const name = storeNames.find((each) => each === text);
  if (name === undefined) throw new Error(`--store ${text}: there are ${storeNames.join(", ")}`);
  return name;
}
