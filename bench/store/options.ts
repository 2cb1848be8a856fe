// The words of the command line.

import { parseArgs } from "node:util";

export const storeNames = ["memory", "sqlite", "postgres"] as const;
export type StoreName = (typeof storeNames)[number];

export interface Options {
  readonly stores: readonly StoreName[];
  /** Only measurements whose name begins so. */
  readonly only: readonly string[];
  /** Tiny sizes and one run, to see that everything works; nothing is written. */
  readonly quick: boolean;
  /** Profile what is timed; nothing is written, because profiling slows it down. */
  readonly cpuProf: boolean;
  readonly list: boolean;
  readonly help: boolean;
}

export const usage = `Usage: npm run bench:store -- [options]

Measures the stores and the engine in-process and writes bench/results.json and bench/RESULTS.md.

  --only NAME    only measurements whose name begins so; may be given more than once
  --store NAME   sqlite or postgres; both when left out (memory: drain and submit alone, never written)
  --quick        tiny sizes, one run, nothing written
  --cpu-prof     profile the timed parts, one run, nothing written
  --list         the names`;

export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      store: { type: "string", multiple: true, default: ["sqlite", "postgres"] },
      quick: { type: "boolean", default: false },
      "cpu-prof": { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { only, quick, list, help } = values;
  return { stores: values.store.map(storeName), only, quick, cpuProf: values["cpu-prof"], list, help };
}

function storeName(text: string): StoreName {
  const name = storeNames.find((each) => each === text);
  if (name === undefined) throw new Error(`--store ${text}: there are ${storeNames.join(", ")}`);
  return name;
}
