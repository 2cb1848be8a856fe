// What the figures depend on beside the code.

import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { percentile } from "./statistics.ts";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly sqlite: string;
  readonly postgres: string | null;
  readonly fsyncP50Ms: number;
  readonly fsyncP99Ms: number;
  /** Over the minute before the run: more than a little means that others were at work. */
  readonly loadBefore: number;
}

/** `folder` is on the disk that is measured. */
export function lookAtMachine(folder: string, postgres: string | null): Machine {
  const fsync = fsyncTimes(folder);
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    sqlite: process.versions.sqlite ?? "unknown",
    postgres,
    fsyncP50Ms: percentile(fsync, 0.5),
    fsyncP99Ms: percentile(fsync, 0.99),
    loadBefore: loadavg()[0] as number,
  };
}

/** Figures of different machines do not belong in one table. */
export function sameMachine(a: Machine, b: Machine): boolean {
  const postgres = a.postgres === null || b.postgres === null || a.postgres === b.postgres;
  return a.cpu === b.cpu && a.cores === b.cores && a.node === b.node && a.sqlite === b.sqlite && postgres;
}

const writes = 400;
const page = Buffer.alloc(8_192, 1);

/** Appends a page and waits for the disk, as a commit does. */
function fsyncTimes(folder: string): number[] {
  const path = join(folder, "fsync-probe");
  const file = openSync(path, "w");
  try {
    return Array.from({ length: writes }, () => {
      const startedAt = performance.now();
      writeSync(file, page);
      fsyncSync(file);
      return performance.now() - startedAt;
    });
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
