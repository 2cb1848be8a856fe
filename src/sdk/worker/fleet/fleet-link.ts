// A worker in the words of the fleet's document: it registers, pings, polls and pushes at the root. For what the document
// has no word for, as progress, or a task that goes back, it uses ours.

import type { RestReply } from "../../rest-api.ts";
import type { Outcome } from "../../run-handler.ts";
import type { SteadyApi } from "../../steady-api.ts";
import type { ClaimedTask } from "../claimed-task.ts";
import type { LinkKind, LinkWires, RequestLink } from "../request-link.ts";
import { restEnd } from "../settle.ts";
import { pollLoop } from "./poll-loop.ts";
import { registerFleet } from "./registration.ts";

export interface FleetLinkOptions {
  readonly pollMs: number;
}

export function fleetLink({ pollMs }: FleetLinkOptions): LinkKind {
  return { ping: "fleet", silenceMs: 30_000, open: (wires) => opened(wires, pollMs) };
}

function opened({ api, root, log, signal }: LinkWires, pollMs: number): RequestLink {
  /** Tasks of which the server was told that they run. */
  const begun = new WeakSet<ClaimedTask>();
  return {
    register: (words, jobs) => registerFleet({ root, log, signal }, words, jobs),
    claim: (parts) => pollLoop({ ...parts, root, pollMs }),
    sendEnd: (worker) => (task, outcome, silence) =>
      outcome.type === "released" || outcome.type === "deferred"
        ? restEnd(api, task, outcome, silence)
        : push(root, { worker, task, outcome, signal: silence }),
    async begin(task) {
      if (begun.has(task)) return;
      await api.request("PATCH", `/tasks/${task.id}`, { body: { status: "running", attempt: task.attempt } });
      begun.add(task);
    },
    signOff: (worker, how) => root.request("POST", `/workers/${worker}/unregister`, how),
  };
}

interface Push {
  readonly worker: string;
  readonly task: ClaimedTask;
  readonly outcome: Exclude<Outcome, { readonly type: "released" }>;
  readonly signal: AbortSignal;
}

/** Results are JSON already. */
function push(root: SteadyApi, { worker, task, outcome, signal }: Push): Promise<RestReply> {
  const headers = { "leadhand-attempt": String(task.attempt) };
  const whose = { workerUuid: worker, jobId: task.id };
  const isDone = outcome.type === "completed";
  const words = isDone
    ? { ...whose, success: true }
    : { ...whose, success: false, retryable: outcome.retryable, error: errorOf(outcome) };
  const data = (isDone ? outcome.result : outcome.details) ?? "null";
  const body = `${JSON.stringify(words).slice(0, -1)},"resultData":${data}}`;
  return root.request("POST", "/blackboard/job/result", { body, headers, signal });
}

function errorOf({ code, message }: Extract<Outcome, { readonly type: "failed" }>) {
  return { code, message };
}
