// Calls as parameters of the submit statement.

import { policyDueMs } from "../../core/deadline.ts";
import { rankOf } from "../../core/lane.ts";
import { policyText } from "../../core/policy.ts";
import { newTaskRow, submittedEvent } from "../../core/task-row.ts";
import type { IdempotencyKey, NewTask } from "../../ports/records.ts";
import type { SubmitCall } from "../../ports/store.ts";
import {
  isTaskId,
  plainArray,
  plainField,
  recordArray,
  sortedIds,
  sortedTexts,
  textArray,
  textField,
} from "./arrays.ts";
import type { SubmitValues } from "./submit-statement.ts";

export function submitValues(calls: readonly SubmitCall[]): SubmitValues {
  const tasks = calls.flatMap((call, index) => call.tasks.map((task) => ({ index, task })));
  return {
    ...jobValues(calls),
    ...parentValues(tasks),
    ...keyValues(calls),
    tasks: recordArray(tasks.map(({ index, task }) => taskRecord(index, task))),
    payloads: textArray(tasks.map(({ task }) => task.payload)),
    ...outboxValues(calls),
  };
}

function jobValues(calls: readonly SubmitCall[]) {
  const wanted = calls.flatMap((call, index) => call.jobs.map((job) => ({ index, ...job })));
  return {
    jobNames: textArray(sortedTexts(wanted.map((job) => job.name))),
    jobCalls: plainArray(wanted.map((job) => job.index)),
    jobWanted: textArray(wanted.map((job) => job.name)),
    jobRevisions: plainArray(wanted.map((job) => job.revision)),
  };
}

function parentValues(tasks: readonly { readonly index: number; readonly task: NewTask }[]) {
  const wanted = tasks.flatMap(({ index, task: { card } }) =>
    card.parent === null ? [] : [{ index, parent: parentId(card.parent) }],
  );
  return {
    parents: plainArray(sortedIds(wanted.map(({ parent }) => parent))),
    parentCalls: plainArray(wanted.map(({ index }) => index)),
    parentWanted: plainArray(wanted.map(({ parent }) => parent)),
  };
}

/** A text that cannot be an id names no open task, and neither does the id that nothing has. */
function parentId(parent: string): string {
  return isTaskId(parent) ? parent : "00000000-0000-0000-0000-000000000000";
}

function keyValues(calls: readonly SubmitCall[]) {
  const keys = calls.flatMap(({ key }, index) => (key === null ? [] : [{ index, key }]));
  // Everyone inserts keys in the same order, so nobody waits in a circle.
  keys.sort((a, b) => compareKeys(a.key, b.key));
  return {
    keyCalls: plainArray(keys.map(({ index }) => index)),
    keyScopes: textArray(keys.map(({ key }) => key.scope)),
    keys: textArray(keys.map(({ key }) => key.key)),
    keyHashes: textArray(keys.map(({ key }) => key.bodyHash)),
    keyAnswers: textArray(keys.map(({ key }) => key.answer)),
    keyTimes: plainArray(keys.map(({ key }) => key.at)),
  };
}

function compareKeys(a: IdempotencyKey, b: IdempotencyKey): number {
  if (a.scope !== b.scope) return a.scope < b.scope ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}

function taskRecord(index: number, { card, runAt }: NewTask): string {
  const row = newTaskRow(card.id, card.createdAt, runAt);
  const dueMs = policyDueMs(card.policy);
  const family = `${card.parent === null ? "" : parentId(card.parent)},${textField(card.retryOf)}`;
  const times = `${card.createdAt},${plainField(row.runAt)},${plainField(dueMs)}`;
  const line = `${card.lane},${card.priority},${rankOf(card.priority)}`;
  const words = `${textField(card.room)},${textField(policyText(card.policy))},${textField(card.submitter)}`;
  const marks = `${textField(card.checksum)},${textField(card.logs)},${textField(submittedEvent(row).data)}`;
  return `${index},${card.id},${family},${times},${line},${words},${marks}`;
}

function outboxValues(calls: readonly SubmitCall[]) {
  const items = calls.flatMap(({ outbox }, index) => outbox.map((item) => ({ index, item })));
  return {
    outboxCalls: plainArray(items.map(({ index }) => index)),
    outboxIds: textArray(items.map(({ item }) => item.id)),
    outboxKinds: textArray(items.map(({ item }) => item.kind)),
    outboxKeys: textArray(items.map(({ item }) => item.key)),
    outboxData: textArray(items.map(({ item }) => item.data)),
    outboxTimes: plainArray(items.map(({ item }) => item.at)),
  };
}
