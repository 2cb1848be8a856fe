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
  /** Something was counted that had no index: a message that came twice may have counted twice. */
  readonly unindexed?: boolean;
  /** Why some of them failed: the first few reasons that differ. */
  readonly errors?: readonly string[];
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

/** What is counted in one move. */
export interface Tally extends ChildCount {
  readonly unindexed?: boolean;
  readonly errors?: readonly string[];
}

/** How many reasons a parent keeps, and how much of each. */
const errorsMax = 3;
const errorLengthMax = 500;

export function childrenAfter(before: Children, { done, failed, unindexed = false, errors = [] }: Tally): Children {
  const reasons = mergedErrors(before.errors ?? [], errors);
  return {
    ...{ ...before, done: before.done + done, failed: before.failed + failed },
    ...(unindexed && { unindexed }),
    ...(reasons.length > 0 && { errors: reasons }),
  };
}

/** The first few that differ. */
export function mergedErrors(known: readonly string[], more: readonly string[]): readonly string[] {
  const all = new Set(known);
  for (const error of more) {
    if (all.size >= errorsMax) break;
    if (error !== "") all.add(error.slice(0, errorLengthMax).toWellFormed());
  }
  return [...all];
}

/** How the document calls it when the last of a coordinator's messages ends it. */
export function closedVia({ state }: Verdict): string {
  return state === "completed" ? "last_batch_stored" : "child_failure_aggregate";
}

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
