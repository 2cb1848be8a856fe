// The one message of a worker, as text. Results are JSON already, so that each of them is written once.

import { messageText } from "../../deferral.ts";
import type { HeldTask } from "./held-task.ts";
import type { Load } from "./outbox.ts";

export interface HeartbeatWords extends Load {
  readonly seq: number;
  readonly ready: number;
  /** The highest assignment that was seen on this connection. */
  readonly acked: number;
  /** The server's latest number; null before it said one. */
  readonly echo: number | null;
  readonly draining: boolean;
  /** JSON; null where nothing about it has changed. */
  readonly registration: string | null;
  readonly worker: string | null;
  /** JSON. */
  readonly acks: readonly string[];
}

export function heartbeatText(words: HeartbeatWords): string {
  const { seq, ready, acked, echo, draining, registration, results, acks } = words;
  let text = `{"type":"heartbeat","seq":${seq},"ready":${ready},"ackedAssignment":${acked}`;
  text += `,"state":"${draining ? "draining" : "active"}"`;
  if (echo !== null) text += `,"echo":${echo}`;
  if (registration !== null) text += `,"registration":${registration}`;
  text += statusText(words);
  if (results.length > 0) text += `,"results":[${results.join(",")}]`;
  if (acks.length > 0) text += `,"acks":[${acks.join(",")}]`;
  return `${text}}`;
}

function statusText({ worker, jobs, logs, alerts }: HeartbeatWords): string {
  const parts: string[] = [];
  if (worker !== null) parts.push(`"worker":${worker}`);
  if (jobs.length > 0) parts.push(`"jobs":[${jobs.join(",")}]`);
  if (logs.length > 0) parts.push(`"logs":[${logs.join(",")}]`);
  if (alerts.length > 0) parts.push(`"alerts":[${alerts.join(",")}]`);
  return parts.length === 0 ? "" : `,"status":{${parts.join(",")}}`;
}

/** How a task ended, as JSON. */
export function resultText({ job, outcome }: HeldTask): string {
  const head = `{"jobId":${JSON.stringify(job.id)},"attempt":${job.attempt},"outcome":`;
  switch (outcome?.type) {
    case "completed":
      return outcome.result === null ? `${head}"succeeded"}` : `${head}"succeeded","data":${outcome.result}}`;
    case "failed": {
      const { message, code, details, retryable } = outcome;
      const error = JSON.stringify({ code, message, retryable }).slice(0, -1);
      return `${head}"failed","error":${error}${details === null ? "" : `,"details":${details}`}}}`;
    }
    case "released": {
      const checkpoint = outcome.checkpoint === null ? "" : `,"checkpoint":${outcome.checkpoint}`;
      return `${head}"released","delayMs":${outcome.delayMs}${checkpoint}}`;
    }
    case "deferred":
      return `${head}"deferred","total":${outcome.total},"messages":[${outcome.messages.map(messageText).join(",")}]}`;
    default:
      throw new Error(`Task ${job.id} has not ended`);
  }
}
