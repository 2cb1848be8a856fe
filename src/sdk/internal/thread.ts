// What runs in a thread of the server: the jobs of one module, one task at a time. It is told what to run and tells what
// comes of it; the database and the network of the server are out of its sight.

import { parentPort, workerData } from "node:worker_threads";
import type { Assignment, Ending } from "../../core/internal-job.ts";
import type { FromThread, ThreadStart, ToThread } from "../../protocol/internal/messages.ts";
import type { JobDefinition } from "../job.ts";
import { offerOwnPackage } from "../own-package.ts";
import { type Report, reports } from "../reports.ts";
import { type Outcome, runHandler } from "../run-handler.ts";
import { describedJob, jobsOf } from "./described-jobs.ts";

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

async function tell(report: Report): Promise<boolean> {
  if (report.kind === "progress") say({ type: "progressed", progress: report.progress });
  else say({ type: "logged", lines: report.lines });
  return true;
}

async function load({ module }: ThreadStart): Promise<ReadonlyMap<string, JobDefinition> | null> {
  offerOwnPackage();
  try {
    const jobs = jobsOf((await import(module)) as { readonly jobs?: unknown });
    say({ type: "ready", jobs: [...jobs.values()].map(describedJob) });
    return jobs;
  } catch (error) {
    say({ type: "unusable", why: error instanceof Error ? error.message : String(error) });
    return null;
  }
}

async function serve(): Promise<void> {
  let abort = new AbortController();
  let answer = (_may: boolean): void => {};
  const loading = load(workerData as ThreadStart);

  async function run(assignment: Assignment): Promise<void> {
    abort = new AbortController();
    const may = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const jobs = await loading;
    say({ type: "started" });
    const job = jobs?.get(assignment.job);
    if (!(await may) || job === undefined) return say({ type: "ended", ending: endingOf(unknown(assignment)) });
    const words = reports(tell);
    const { task: id, attempt, room, payload, checkpoint } = assignment;
    const read = checkpoint === null ? undefined : (JSON.parse(checkpoint) as unknown);
    const facts = { id, attempt, room, job: assignment.job, payload: JSON.parse(payload) as unknown, checkpoint: read };
    const { progress, log, alert } = words;
    const outcome = await runHandler(job, facts, { progress, log, alert }, abort.signal);
    await words.flush();
    say({ type: "ended", ending: endingOf(outcome) });
  }

  parentPort?.on("message", (message: ToThread) => {
    if (message.type === "run") void run(message.assignment);
    else if (message.type === "go") answer(message.may);
    else abort.abort(new Error(message.reason));
  });
  if ((await loading) === null) process.exit(1);
}

function endingOf(outcome: Outcome): Ending {
  switch (outcome.type) {
    case "completed":
      return outcome;
    case "failed": {
      const { message, code, details, retryable } = outcome;
      return { type: "failed", error: { message, code, details }, retryable };
    }
    case "released":
      return { type: "later", delayMs: outcome.delayMs, checkpoint: outcome.checkpoint };
  }
}

function unknown({ job }: Assignment): Outcome {
  return { type: "failed", message: `'${job}' is not run here`, code: null, details: null, retryable: false };
}

await serve();
