// Twelve rooms and forty jobs: a few do most of the work, as everywhere.

import { specChecksum } from "../../../src/core/checksum.ts";
import { defaultQueue } from "../../../src/core/lane.ts";
import { fullName, globalRoom } from "../../../src/core/name.ts";
import type { Policy } from "../../../src/core/policy.ts";
import type { JobRecord } from "../../../src/ports/records.ts";
import type { Store } from "../../../src/ports/store.ts";
import type { BenchSurroundings } from "../../surroundings.ts";
import type { Chance } from "./chance.ts";

export const rooms = [
  ...["lab", "studio", "archive", "press", "maps", "billing"],
  ...["imaging", "genomics", "weather", "ledger", "support", "fleetwatch"],
] as const;

const verbs = ["Rotate", "Resize", "Transcode", "Index", "Align", "Render", "Extract", "Merge", "Verify", "Publish"];
const categories = ["modifiers", "readers", "reports", "exports"] as const;

/** Which workers have a job: those of its pool. */
export const pools = 8;

export interface BoardJob {
  readonly name: string;
  readonly nth: number;
  /** Null: of the global room, for tasks in any. */
  readonly room: string | null;
  readonly pool: number;
  readonly policy: Policy;
  readonly lane: number;
}

const schema = {
  type: "object",
  required: ["path"],
  properties: {
    path: { type: "string" },
    format: { enum: ["tiff", "png", "mp4", "fastq", "geojson", "pdf"] },
    angle: { type: "integer" },
  },
} as const;

export const boardChecksum = specChecksum({ schema });

/** Makes what is missing. */
export async function makeBoardJobs(store: Store, { ids }: BenchSurroundings, createdAt: number): Promise<BoardJob[]> {
  const planned = categories.flatMap((category, row) =>
    verbs.map((verb, column) => {
      const nth = row * verbs.length + column;
      const room = nth % 5 < 3 ? null : (rooms[nth % rooms.length] as string);
      const name = fullName({ room: room ?? globalRoom, category, name: verb });
      return { name, nth, room, pool: nth % pools, policy: nth % 4 === 0 ? { retry: { maxAttempts: 3 } } : {} };
    }),
  );
  const jobs = planned.map(({ name, room, policy }) => ({
    ...jobRecord(name, ids.next(), createdAt),
    room: room ?? globalRoom,
    spec: { schema: JSON.stringify(schema), output: null, queue: null, labels: null, policy, push: null },
  }));
  const keys = planned.map(({ name }) => ({ job: name, queue: defaultQueue, labels: {}, checksum: "" }));
  const scope = { jobs: planned.map(({ name }) => name) };
  const { lanes } = await store.amend(scope, () => ({ answer: null, jobs, lanes: keys }));
  return planned.map((job, index) => ({ ...job, lane: lanes[index]?.id as number }));
}

function jobRecord(name: string, id: string, createdAt: number): Omit<JobRecord, "room" | "spec"> {
  const times = { createdAt, checksumAt: createdAt };
  return { name, id, checksum: boardChecksum, source: "explicit", deleted: false, revision: 1, ...times };
}

/** The n-th job is chosen a third as often, over and over, as the first: half of all tasks are of six jobs. */
export function jobPicker(jobs: readonly BoardJob[]): (by: Chance) => BoardJob {
  const ends: number[] = [];
  let sum = 0;
  for (let nth = 0; nth < jobs.length; nth += 1) {
    sum += 1 / (nth + 3);
    ends.push(sum);
  }
  return (by) => {
    const at = by.next() * sum;
    return jobs[ends.findIndex((end) => at < end)] as BoardJob;
  };
}
