// What an answer to a result means for the task.

import type { ServerMessage } from "../../../protocol/work/frames.ts";
import type { Ending } from "../attempt.ts";
import type { End } from "../settle.ts";
import type { AbortCause } from "../task-aborted.ts";

export type Ack = Omit<ServerMessage<"resultAck">, "type">;

/** Null: nothing was written, and the same is to be told again. */
export function acknowledged(
  { accepted, reason, retry }: Ack,
  outcome: End,
  cause: AbortCause | null,
): { readonly ending: Ending; readonly error?: string | undefined } | null {
  if (retry === true) return null;
  if (accepted) return { ending: outcome.type, error: outcome.type === "failed" ? outcome.message : undefined };
  // A refusal was to be expected.
  if (cause === "cancelled" || cause === "lost") return { ending: "dropped" };
  return { ending: "refused", error: reason };
}
