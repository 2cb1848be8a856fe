// Figures that several measurements have.

import type { Figure, Targets } from "./measurement.ts";
import type { StoreName } from "./options.ts";

export const bothStores: readonly StoreName[] = ["sqlite", "postgres"];
export const allStores: readonly StoreName[] = ["memory", ...bothStores];

export function tasksPerSecond(targets: Targets): Figure {
  return { key: "tasksPerSecond", title: "tasks", unit: "/s", targets };
}

export function beside(key: string, title: string): Figure {
  return { key, title, unit: "", beside: true };
}

export function latency(key: string, title: string, msMax: number): Figure[] {
  const targets: Targets = { sqlite: { atMost: msMax }, postgres: { atMost: msMax } };
  return [
    { key: `${key}P50`, title, unit: "ms", targets },
    { key: `${key}P99`, title: "p99", unit: "ms", beside: true },
  ];
}

/** Processor time, of our process and of PostgreSQL's: what the machine's other work cannot blur. See `cpuFigures`. */
export function cpuEach(prefix = ""): Figure[] {
  return [
    { key: `${prefix}cpuUsEach`, title: "CPU per task", unit: "µs", beside: true },
    { key: `${prefix}serverCpuUsEach`, title: "of PostgreSQL", unit: "µs", beside: true },
  ];
}

/** How servers are measured over the network. */
export const setting = "One `leadhand serve` in a process of its own; the client is another, on the same machine.";

/** A rate, with the processor time that each costs the server, PostgreSQL and the client. See `rateOf` in rest/bench-server.ts. */
export function rateFigures(key: string, title: string, targets: Targets): Figure[] {
  const also = (word: string, title: string): Figure => ({ key: `${key}-${word}`, title, unit: "µs", beside: true });
  return [
    { key, title, unit: "/s", targets },
    also("doorUs", "CPU of the server each"),
    also("postgresUs", "of PostgreSQL"),
    also("clientUs", "of the client"),
  ];
}
