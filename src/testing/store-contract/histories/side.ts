// One of the stores that play the same history. They may number their lanes differently, so lanes are compared by what
// they are; nothing else may differ.

import type { Store, StoreInfo } from "../../../ports/store.ts";
import { aJob, aWorker, jobId, workerId } from "../../builders.ts";
import { jobNames, laneKeys } from "./known.ts";

export interface Side {
  readonly info: StoreInfo;
  /** The servers on one database; they take turns. */
  readonly stores: readonly Store[];
  /** The store's number for each of laneKeys. */
  readonly lanes: number[];
}

/** Starts the stores and makes the jobs, lanes and workers of a history's world. */
export async function startSide(stores: readonly Store[]): Promise<Side> {
  const [first, ...others] = stores as [Store, ...Store[]];
  const info = await first.start();
  for (const other of others) await other.start();
  const jobs = jobNames.map((name, n) => aJob({ id: jobId(n), name }));
  const workers = [0, 1, 2].map((n) => aWorker({ id: workerId(n), jobs: new Map([[jobNames[0], null]]) }));
  await first.amend({}, () => ({ answer: null, jobs, workers }));
  const side: Side = { info, stores, lanes: [] };
  // One by one, so that their numbers ascend in the same order everywhere.
  for (const key of laneKeys.slice(0, 6)) {
    const { lanes } = await first.amend({}, () => ({ answer: null, lanes: [key] }));
    side.lanes.push((lanes[0] as { id: number }).id);
  }
  return side;
}

/** The answer with lanes by name and maps in order, ready to be compared. */
export function comparable(side: Side, value: unknown): unknown {
  const laneName = (id: unknown) => {
    const index = side.lanes.indexOf(id as number);
    return index < 0 ? id : `lane ${index}`;
  };
  const walk = (node: unknown): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (node instanceof Map) return [...node].map(walk).sort((a, b) => (String(a) < String(b) ? -1 : 1));
    if (Array.isArray(node)) return node.map(walk);
    const entries = Object.entries(node).map(([key, member]) => {
      if (key === "lane" || (key === "id" && "maxRunning" in node)) return [key, laneName(member)];
      const isNumbers = key === "lanes" && Array.isArray(member) && typeof member[0] === "number";
      return [key, isNumbers ? member.map(laneName) : walk(member)];
    });
    return Object.fromEntries(entries);
  };
  return walk(value);
}
