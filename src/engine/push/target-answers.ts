// What the addresses of push jobs answered last, as far as this server has asked them; kept in memory alone. It tells
// people why tasks wait, and decides nothing.

import type { PushVerdict } from "../../core/push-answer.ts";

export interface TargetAnswers {
  note(job: string, url: string, verdict: PushVerdict): void;
  /** In words; null where its last answer was none that speaks against the target, or it was never asked. */
  failure(job: string, url: string): string | null;
}

export function targetAnswers(): TargetAnswers {
  const failures = new Map<string, { readonly url: string; readonly text: string }>();
  return {
    note(job, url, verdict) {
      const text = targetFailure(verdict);
      if (text === null) failures.delete(job);
      else failures.set(job, { url, text });
    },
    failure(job, url) {
      const known = failures.get(job);
      // Of the address before this one.
      return known?.url === url ? known.text : null;
    },
  };
}

/** Null where the verdict is about the one task, or is none against anybody. */
function targetFailure(verdict: PushVerdict): string | null {
  if (verdict.type === "later") return "it asks for a pause";
  if (verdict.type !== "failed") return null;
  const { error, retryable } = verdict;
  return retryable || error.code === "push_forbidden_address" ? error.message : null;
}
