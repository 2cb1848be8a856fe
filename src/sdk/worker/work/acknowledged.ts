// What an answer to a result means for the task.

import { type ProblemCode, problems } from "../../../core/problem.ts";
import type { ServerMessage } from "../../../protocol/work/frames.ts";
import type { Outcome } from "../../run-handler.ts";
import type { Ending } from "../attempt.ts";
import { refused } from "../settle.ts";
import type { HeldTask } from "./held-task.ts";

export type Ack = Omit<ServerMessage<"resultAck">, "type">;

export type Acknowledged =
  | { readonly type: "ended"; readonly ending: Ending; readonly error: string | undefined }
  /** Nothing was written: the same again. */
  | { readonly type: "again" }
  /** The task is still this worker's, but the server cannot take the words: a result of another shape than the job's. */
  | { readonly type: "instead"; readonly outcome: Outcome };

export function acknowledged({ cause, lessened }: HeldTask, outcome: Outcome, ack: Ack): Acknowledged {
  if (ack.retry === true) return { type: "again" };
  if (ack.accepted) {
    return { type: "ended", ending: outcome.type, error: outcome.type === "failed" ? outcome.message : undefined };
  }
  // A refusal was to be expected.
  if (cause === "cancelled" || cause === "lost") return { type: "ended", ending: "dropped", error: undefined };
  if (!isMisfit(ack) || lessened) return { type: "ended", ending: "refused", error: ack.reason };
  if (outcome.type === "failed") return { type: "instead", outcome: { ...outcome, details: null } };
  return { type: "instead", outcome: refused(outcome.type, { message: ack.reason ?? "", errors: [] }) };
}

function isMisfit({ reason = "" }: Ack): boolean {
  const kind = Object.hasOwn(problems, reason) ? problems[reason as ProblemCode] : null;
  return kind?.status === 422 || kind?.status === 413;
}
