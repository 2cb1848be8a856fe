// How much the program takes of the machine, for whoever looks at the fleet.

import { elapsedMs } from "../system.ts";

export interface ProcessUse {
  /** Of one processor, by the whole program, since it was last asked. */
  readonly cpuPercent: number;
  readonly ramBytes: number;
}

export function processUse(): () => ProcessUse {
  let [at, used] = [elapsedMs(), process.cpuUsage()];
  return () => {
    const now = elapsedMs();
    const { user, system } = process.cpuUsage(used);
    const cpuPercent = Math.round((user + system) / 10 / Math.max(1, now - at));
    [at, used] = [now, process.cpuUsage()];
    return { cpuPercent, ramBytes: process.memoryUsage.rss() };
  };
}
