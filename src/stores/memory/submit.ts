import assert from "node:assert/strict";
import type { IdempotencyKey } from "../../ports/records.ts";
import type { SubmitAnswer, SubmitCall } from "../../ports/store.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { insertTask, type Memory, openTask } from "./memory.ts";

export function submit(memory: Memory, calls: readonly SubmitCall[]): SubmitAnswer[] {
  const ids = calls.flatMap((call) => call.tasks.map((task) => task.card.id));
  const fresh = new Set(ids).size === ids.length && !ids.some((id) => memory.tasks.has(id));
  assert(fresh, "a task is submitted once");
  return calls.map((call) => submitOne(memory, call));
}

function submitOne(memory: Memory, call: SubmitCall): SubmitAnswer {
  const refusal = refusalOf(memory, call);
  if (refusal !== null) return refusal;
  for (const task of call.tasks) insertTask(memory, task);
  for (const item of call.outbox) memory.outbox.set(item.id, frozenCopy(item));
  if (call.key !== null) keepKey(memory, call.key);
  for (const entry of call.audit ?? []) memory.audit.set(entry.id, frozenCopy(entry));
  return { kind: "accepted" };
}

function refusalOf(memory: Memory, call: SubmitCall): SubmitAnswer | null {
  const first = call.key === null ? undefined : memory.keys.get(keyText(call.key));
  if (first !== undefined) return { kind: "repeated", first };
  const changed = call.jobs.find((job) => !isCurrent(memory, job));
  if (changed !== undefined) return { kind: "job-changed", job: changed.name };
  const parents = call.tasks.map((task) => task.card.parent).filter((parent) => parent !== null);
  const closed = parents.find((parent) => openTask(memory, parent) === undefined);
  return closed === undefined ? null : { kind: "parent-closed", parent: closed };
}

function isCurrent(memory: Memory, job: { readonly name: string; readonly revision: number }): boolean {
  const known = memory.jobs.get(job.name)?.record;
  return known !== undefined && !known.deleted && known.revision === job.revision;
}

/** Only the first use of a key counts. */
export function keepKey(memory: Memory, key: IdempotencyKey): void {
  if (!memory.keys.has(keyText(key))) memory.keys.set(keyText(key), frozenCopy(key));
}

export function keyText(key: Pick<IdempotencyKey, "scope" | "key">): string {
  return JSON.stringify([key.scope, key.key]);
}
