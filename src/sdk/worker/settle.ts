// How an attempt ended, told to the server until it has answered. A refusal is an answer: somebody else has the last
// word about the task, and whoever ran it is told so.

import { type CheckedDeferral, messageText } from "../deferral.ts";
import { ServerProblem } from "../problem.ts";
import type { RestReply } from "../rest-api.ts";
import type { Outcome } from "../run-handler.ts";
import type { SteadyApi } from "../steady-api.ts";
import { type ClaimedTask, proofOf } from "./claimed-task.ts";

/** Why the server did not take it; null where it did. */
export type Refusal = ServerProblem | null;

/** How an attempt ended: as its handler did, or left open for others to end. */
export type End = Outcome | ({ readonly type: "deferred" } & CheckedDeferral);

/** Tells an end in the words of some link. */
export type SendEnd = (task: ClaimedTask, outcome: End, signal: AbortSignal) => Promise<RestReply>;

export async function settle(
  { api, sendEnd }: { readonly api: SteadyApi; readonly sendEnd: SendEnd },
  task: ClaimedTask,
  outcome: End,
  signal: AbortSignal,
): Promise<Refusal> {
  try {
    await sendEnd(task, outcome, signal);
    return null;
  } catch (error) {
    if (!(error instanceof ServerProblem) || error.status === 401) throw error;
    if (error.status === 422 || error.status === 413) return less(sendEnd, task, outcome, error, signal);
    if (error.status === 409 && (await isIn(stateAfter[outcome.type], api, task, signal))) return null;
    return error;
  }
}

export function restEnd(api: SteadyApi, task: ClaimedTask, outcome: End, signal: AbortSignal): Promise<RestReply> {
  const path = `/tasks/${task.id}`;
  const lease = JSON.stringify(proofOf(task)).slice(1, -1);
  switch (outcome.type) {
    case "completed":
      // The result is JSON already.
      return api.request("PATCH", path, {
        body: `{"status":"completed",${lease},"result":${outcome.result ?? "null"}}`,
        signal,
      });
    case "failed": {
      const { message: error, code: error_code, details, retryable } = outcome;
      const words = JSON.stringify({ status: "failed", error, error_code, retryable }).slice(0, -1);
      return api.request("PATCH", path, { body: `${words},${lease},"error_details":${details ?? "null"}}`, signal });
    }
    case "released": {
      const checkpoint = outcome.checkpoint === null ? "" : `,"checkpoint":${outcome.checkpoint}`;
      const body = `{"delay_seconds":${outcome.delayMs / 1_000},${lease}${checkpoint}}`;
      return api.request("POST", `${path}/release`, { body, signal });
    }
    case "deferred": {
      const messages =
        outcome.messages.length === 0 ? "" : `,"messages":[${outcome.messages.map(messageText).join(",")}]`;
      const body = `{"total":${outcome.total},${lease}${messages}}`;
      return api.request("POST", `${path}/defer`, { body, signal });
    }
  }
}

/** The server cannot take these words: a result of another shape than the job's, or deeper than any may be. */
async function less(
  sendEnd: SendEnd,
  task: ClaimedTask,
  outcome: End,
  error: ServerProblem,
  signal: AbortSignal,
): Promise<Refusal> {
  const failed = outcome.type === "failed" ? { ...outcome, details: null } : refused(outcome.type, error);
  try {
    await sendEnd(task, failed, signal);
    return null;
  } catch (error) {
    if (error instanceof ServerProblem && error.status !== 401) return error;
    throw error;
  }
}

const refusedThing = { completed: "result", released: "checkpoint", deferred: "deferral" } as const;

function refused(type: keyof typeof refusedThing, { message, errors }: ServerProblem): Outcome {
  const fields = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
  const what = refusedThing[type];
  return {
    type: "failed",
    message: `The server refused the ${what}: ${message}${fields === "" ? "" : ` (${fields})`}`,
    ...{ code: `${what}-refused`, details: null, retryable: false },
  };
}

const stateAfter = { completed: "completed", failed: "failed", released: "pending", deferred: "running" } as const;

/**
 * Whether this attempt has come so far: an answer may have been lost on its way, and what was done cannot be done again.
 * Within one attempt nobody but its holder brings it there.
 */
export async function isIn(status: string, api: SteadyApi, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await api.request<{ attempt: number; status: string }>("GET", `/tasks/${task.id}`, { signal });
    return body.attempt === task.attempt && body.status === status;
  } catch (error) {
    if (error instanceof ServerProblem && error.status !== 401) return false;
    throw error;
  }
}
