import type { Item } from "../../api/routes.ts";
import type { JobFigures } from "./statistics.ts";

export type Job = Item<"GET /jobs">;

export interface JobRow {
  readonly job: Job;
  readonly figures: JobFigures | undefined;
}

export interface Room {
  readonly name: string;
  readonly rows: readonly JobRow[];
}

/** `room:category:name`. */
export function roomOf(fullName: string): string {
  return fullName.slice(0, fullName.indexOf(":"));
}

/** Rooms by name, in each the jobs by name. */
export function rowsByRoom(jobs: readonly Job[], figures: readonly JobFigures[]): readonly Room[] {
  const known = new Map(figures.map((one) => [one.job_name, one]));
  const rows = jobs
    .toSorted((a, b) => (a.full_name < b.full_name ? -1 : 1))
    .map((job) => ({ job, figures: known.get(job.full_name) }));
  return [...Map.groupBy(rows, ({ job }) => roomOf(job.full_name))]
    .map(([name, own]) => ({ name, rows: own }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
