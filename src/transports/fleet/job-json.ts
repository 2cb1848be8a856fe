// Jobs of the fleet's document as JSON text. Parameters, context and results are put in as they came.

import type { FleetJobView, PolledView } from "../../engine/desks/fleet/fleet-jobs.ts";
import type { Answer } from "../rest/call.ts";
import { isoTime } from "../rest/time.ts";

export function polledJson({ id, type, functionBlock, parameters, context }: PolledView): string {
  const words = JSON.stringify({ id, type, functionBlock }).slice(0, -1);
  return `${words},"parameters":${parameters},"context":${context}}`;
}

export function jobJson(job: FleetJobView): string {
  const { id, type, functionBlock, status, worker: workerUuid, failureReason } = job;
  const times = { createdAt: isoTime(job.createdAt), polledAt: isoTime(job.polledAt), pushedAt: isoTime(job.pushedAt) };
  const words = JSON.stringify({ id, type, functionBlock, status, workerUuid, ...times, failureReason }).slice(0, -1);
  return `${words},"parameters":${job.parameters},"context":${job.context},"result":${resultJson(job)}}`;
}

function resultJson({ result }: FleetJobView): string {
  if (result === null) return "null";
  return `{"success":${result.success},"data":${result.data ?? "null"},"error":${JSON.stringify(result.error)}}`;
}

export function jobsAnswer(jobs: readonly FleetJobView[]): Answer {
  return { status: 200, json: `[${jobs.map(jobJson).join(",")}]` };
}
