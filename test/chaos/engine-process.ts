// A process that runs an engine under load until it is killed. Every answer is written to the ledger's file after it was
// given and before the caller goes on; what was written to a file outlives the process that wrote it.

import { openSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import type { EngineSettings } from "../../src/engine/surroundings.ts";
import type { Entry } from "../../src/testing/ledger.ts";
import { chaosEngine, type Place } from "./chaos-engine.ts";
import { fileLog } from "./file-log.ts";
import { startLoad } from "./load.ts";

/** What the process is told. Plain JSON. */
export interface Orders {
  readonly place: Place;
  readonly name: string;
  readonly seed: number;
  readonly ledgerFile: string;
  readonly logFile: string;
  /** Where the compiled program is kept unless the run has a place, so that the next of many starts is quicker. */
  readonly cacheFolder: string;
  readonly keys: readonly string[];
  /** Present when it is one of several servers on the database. */
  readonly peer?: { readonly settings: Partial<EngineSettings> };
}

/** What the process says of itself. */
export type Word = { readonly said: "acknowledged" } | { readonly said: "fault"; readonly text: string };

async function run({ place, name, seed, ledgerFile, logFile, keys, peer }: Orders): Promise<void> {
  flushCompileCache();
  const ledger = openSync(ledgerFile, "a");
  let acknowledged = false;

  function note(entry: Entry): void {
    writeSync(ledger, `${JSON.stringify(entry)}\n`);
    if (acknowledged || entry.what === "tried") return;
    acknowledged = true;
    say({ said: "acknowledged" });
  }

  const shared = peer !== undefined;
  const running = await chaosEngine(place, { log: fileLog(logFile), shared, settings: peer?.settings ?? {} });
  await startLoad({ ...running, seed, name, note, keys, contend: shared, onFault: fault });
}

function say(word: Word): void {
  process.send?.(word);
}

function fault(error: unknown): void {
  say({ said: "fault", text: error instanceof Error ? `${error.stack}` : String(error) });
}

// Nobody is left to kill it: it must not go on alone.
process.on("disconnect", () => process.exit(1));
process.on("uncaughtException", fault);
process.on("unhandledRejection", fault);
run(JSON.parse(process.argv[2] as string) as Orders).catch(fault);
