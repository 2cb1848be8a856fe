// Parents and children. Children count on their parent as they settle; once the parent has deferred, its counters close
// it. Counting begins before the deferral, because children may be faster than their parent, and goes on when the parent
// starts anew: children belong to the task, not to one of its attempts, and the next may submit them again by their keys.

import type { OnChildFailure, Policy } from "./policy.ts";
import type { Failure, FinalState, OpenState } from "./task-row.ts";

export interface Children {
  /** How many it waits for; null until it has deferred. */
  readonly total: number | null;
  readonly done: number;
  readonly failed: number;
  /** How long it waits for them: what applied when it deferred, as there is no worker to ask while it waits. */
  readonly patience: Patience | null;
}

/** Running longer than `timeoutMs`, and silent for `stallMs`, is a timeout. */
export interface Patience {
  readonly timeoutMs: number;
  readonly stallMs: number;
}

export interface Verdict {
  readonly state: "completed" | "failed";
  readonly error: Failure | null;
}

export const noChildren: Children = { total: null, done: 0, failed: 0, patience: null };

/**
 * How the parent ends now, or null while it has to wait. Counts outlive the parent's attempts, so the total may be
 * reached by children of an earlier one: what has been counted closes the parent only when no child is open any more,
 * and the last of them asks again. A parent that fails fast waits for nobody.
 */
export function childrenVerdict(
  children: Children,
  policy: Policy,
  hasOpenChildren: () => boolean = () => false,
): Verdict | null {
  const verdict = countedVerdict(children, policy);
  if (verdict === null) return null;
  const isFast = verdict.state === "failed" && policy.onChildFailure === "failFast";
  return isFast || !hasOpenChildren() ? verdict : null;
}

function countedVerdict(children: Children, policy: Policy): Verdict | null {
  if (children.total === null) return null;
  const rule: OnChildFailure = policy.onChildFailure ?? "failWhenSettled";
  if (children.done >= children.total) return { state: "completed", error: null };
  if (children.failed === 0) return null;
  if (children.failed >= children.total) return failed("AllChildrenFailed", "Every child failed");
  const some = `${children.failed} of ${children.total} children failed`;
  if (rule === "failFast") return failed("PartialChildFailure", some);
  if (rule === "stall" || children.done + children.failed < children.total) return null;
  return failed("PartialChildFailure", some);
}

export type ChildCount = Pick<Children, "done" | "failed">;

/** What a settled child adds to its deferred parent. A cancelled child did not do its part. */
export function childCount(state: FinalState): ChildCount {
  return state === "completed" ? { done: 1, failed: 0 } : { done: 0, failed: 1 };
}

/** Only an open task can take a child; a child of a final parent would never be waited for. */
export function mayHaveChildren(parent: { readonly state: OpenState | FinalState } | undefined): boolean {
  return (
    parent !== undefined && (parent.state === "pending" || parent.state === "claimed" || parent.state === "running")
  );
}

function failed(code: string, message: string): Verdict {
  return { state: "failed", error: { message, code, details: null } };
}
