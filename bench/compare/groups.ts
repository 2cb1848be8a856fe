// What is measured beside other job queues, in the order in which it is measured.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Group } from "../measurement.ts";
import { sizes } from "../sizes.ts";
import { drains } from "./groups/drain.ts";
import { growth } from "./groups/growth.ts";
import { idleWorkers, recovery } from "./groups/life.ts";
import { pickup } from "./groups/pickup.ts";
import { bulkSubmits, submits } from "./groups/submit.ts";

export function compareGroups(quick: boolean): Group[] {
  const sized = sizes(quick);
  const groups = [
    ...drains(sized),
    submits(sized),
    bulkSubmits(sized),
    pickup(sized),
    recovery(sized),
    idleWorkers(sized),
    growth(sized),
  ];
  return groups.map((group, nth) => (nth === 0 ? { ...group, method: `${whoIsWho()} ${group.method}` } : group));
}

/** Said once, in the first section. */
function whoIsWho(): string {
  const file = fileURLToPath(new URL("./package.json", import.meta.url));
  const { devDependencies } = JSON.parse(readFileSync(file, "utf8")) as { devDependencies: Record<string, string> };
  const version = (name: string): string => `${name} ${devDependencies[name]}`;
  return [
    `Beside ${version("bullmq")} (ioredis ${devDependencies["ioredis"]}), ${version("pg-boss")} and`,
    `${version("graphile-worker")}, each with the best settings of its documentation. Handlers do nothing, payloads have`,
    "200 bytes, every task is acknowledged by itself, history is on where there is one, and workers are processes of",
    "their own. Leadhand is a server, as the package has it, between the worker and the database, with a token checked and every move in the",
    "task's history; the others are libraries that talk to the database themselves. Redis appends to a file that is",
    "synced once a second (*redis*) or at every write (*redis-fsync*). *Fenced* means that the late result of a worker",
    "that was given up is refused once another one has the task.",
  ].join(" ");
}
