// What the demo submits, in the same order in every run, so that each of its first seconds has something of every kind.

import type { SubmitOptions } from "../../sdk/client/words.ts";
import type { JobDefinition } from "../../sdk/job.ts";
import { buildReport, renderVideo, resizeImage, sendMail } from "./sample-jobs.ts";

export interface SampleTask {
  readonly job: JobDefinition;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly options?: SubmitOptions;
  /** The next one follows at once, so that some have to wait for a worker. */
  readonly withNext?: true;
  /** Cancelled so long after it was submitted. */
  readonly cancelAfterMs?: number;
}

const cycle: readonly SampleTask[] = [
  { job: renderVideo, payload: { frames: 40 } },
  { job: resizeImage, payload: { width: 640 } },
  { job: sendMail, payload: { to: "ada@busy.example" } },
  { job: buildReport, payload: { month: "October" }, cancelAfterMs: 1_600 },
  { job: resizeImage, payload: { width: 1_280 }, withNext: true },
  { job: renderVideo, payload: { frames: 25 }, withNext: true },
  { job: sendMail, payload: { to: "grace@example.com" } },
  { job: resizeImage, payload: { width: 1_920 } },
  { job: sendMail, payload: { to: "nobody@nowhere.example" } },
  { job: resizeImage, payload: { width: 800 }, options: { delayMs: 2_000 } },
  { job: resizeImage, payload: { width: 320 }, withNext: true },
  { job: resizeImage, payload: { width: 480 }, withNext: true },
  { job: resizeImage, payload: { width: 960 }, withNext: true },
  { job: buildReport, payload: { month: "November" } },
  { job: resizeImage, payload: { width: 1_024 }, options: { delayMs: 60_000 }, cancelAfterMs: 2_000 },
  { job: resizeImage, payload: { width: 240 } },
];

export function sampleTask(number: number): SampleTask {
  return cycle[number % cycle.length] as SampleTask;
}
