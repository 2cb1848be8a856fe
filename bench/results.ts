// What has been measured, kept in one file that every run adds to: a run of one name replaces that name's figures.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Machine, sameMachine } from "./machine.ts";
import type { Facts, Parameters } from "./measure.ts";
import type { StoreName } from "./options.ts";
import { median } from "./statistics.ts";

export interface Entry {
  readonly name: string;
  readonly store: StoreName;
  readonly measuredAt: string;
  readonly parameters: Parameters;
  /** Of the stage: how large it came out, how long it took. */
  readonly facts: Facts;
  /** The figures of each run. */
  readonly runs: readonly Readonly<Record<string, number>>[];
  readonly notes: readonly string[];
  /** Why there are fewer runs than there should be. */
  readonly error: string | null;
}

export interface Results {
  readonly machine: Machine;
  readonly entries: readonly Entry[];
}

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly runs: number;
}

const file = fileURLToPath(new URL("./results.json", import.meta.url));

/** What earlier runs measured on this machine; figures of another one, or of names that are gone, are left behind. */
export function keptResults(machine: Machine, names: ReadonlySet<string>): Results {
  if (!existsSync(file)) return { machine, entries: [] };
  const kept = JSON.parse(readFileSync(file, "utf8")) as Results;
  if (!sameMachine(kept.machine, machine)) return { machine, entries: [] };
  const entries = kept.entries.filter(({ name }) => names.has(name));
  return { machine: { ...machine, postgres: machine.postgres ?? kept.machine.postgres }, entries };
}

export function withEntry(results: Results, entry: Entry): Results {
  const others = results.entries.filter(({ name, store }) => name !== entry.name || store !== entry.store);
  return { ...results, entries: [...others, entry] };
}

/** `figures` is what the report says, for programs. */
export function writeResults(results: Results, figures: readonly object[]): void {
  const order = ({ store, name }: Entry): string => `${store} ${name}`;
  const entries = results.entries.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  writeFileSync(file, `${JSON.stringify({ ...results, figures, entries }, null, 2)}\n`);
}

/** Undefined when it was not measured. */
export function summaryOf(results: Results, store: StoreName, name: string, key: string): Summary | undefined {
  const entry = results.entries.find((each) => each.name === name && each.store === store);
  const values = (entry?.runs ?? []).flatMap((run) => run[key] ?? []);
  if (values.length === 0) return undefined;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values), runs: values.length };
}
