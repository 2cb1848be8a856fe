// Decided writes as parameters of the statement that settles them.

import type { TaskEvent } from "../../core/task-event.ts";
import type { TaskRow } from "../../core/task-row.ts";
import type { TaskWrite } from "../../ports/records.ts";
import { plainArray, plainField, recordArray, sparseTextArray, textField } from "./arrays.ts";
import type { SettleValues } from "./settle-statement.ts";

export interface WriteValues extends SettleValues {
  /** Whether a task becomes ready by them. */
  readonly givesBack: boolean;
}

export function writeValues(writes: readonly TaskWrite[]): WriteValues {
  const sorted = writes.length < 2 ? writes : writes.toSorted((a, b) => (a.next.id < b.next.id ? -1 : 1));
  const ended = sorted.filter((write) => write.outcome !== null);
  const moved = sorted.filter((write) => write.outcome === null);
  // One kind alone is locked in order of id by the write itself; two kinds would be locked one after the other.
  const locked = ended.length > 0 && moved.length > 0 ? sorted : [];
  return {
    ended: recordArray(ended.map(writeRecord)),
    endedResults: sparseTextArray(ended.map((write) => write.outcome?.result ?? null)),
    endedData: sparseTextArray(ended.map(lastData)),
    moved: recordArray(moved.map(writeRecord)),
    movedData: sparseTextArray(moved.map(lastData)),
    events: recordArray(sorted.flatMap(eventsApart).map(eventRecord)),
    locked: plainArray(locked.map((write) => write.next.id)),
    count: writes.length,
    fingerprints: sparseTextArray(ended.map((write) => write.outcome?.fingerprint ?? null)),
    givesBack: moved.some(({ next }) => next.state === "pending" && next.runAt === null),
  };
}

function writeRecord({ expected, next, outcome, events }: TaskWrite): string {
  const last = saidByRow(next, events.at(-1)) ? events.at(-1) : undefined;
  const finishedAt = outcome === null || outcome.finishedAt === next.activeAt ? null : outcome.finishedAt;
  const eventWorker = next.worker === null ? (last?.worker ?? null) : null;
  const progress = next.progress === null ? null : JSON.stringify(next.progress);
  const children = next.children === null ? null : JSON.stringify(next.children);
  const error = outcome === null || outcome.error === null ? null : JSON.stringify(outcome.error);
  const counters = `${next.version},${next.attempt},${next.failures},${next.losses},${next.activeAt}`;
  const times = `${plainField(next.runAt)},${plainField(next.claimedAt)},${plainField(next.startedAt)}`;
  const deadlines = `${plainField(next.leasedUntil)},${plainField(next.dueAt)}`;
  const texts = `${textField(progress)},${textField(children)},${textField(next.checkpoint)},${textField(error)}`;
  return `${next.id},${expected},${counters},${times},${deadlines},${next.state},${textField(next.worker)},${texts},${plainField(finishedAt)},${textField(eventWorker)},${plainField(last?.type ?? null)}`;
}

/** Whether the event says of the task what its row says, so that only its type and its data need to be sent. */
function saidByRow(row: TaskRow, event: TaskEvent | undefined): boolean {
  return (
    event !== undefined &&
    event.version === row.version &&
    event.at === row.activeAt &&
    event.state === row.state &&
    event.attempt === row.attempt &&
    (row.worker === null || event.worker === row.worker)
  );
}

function lastData({ next, events }: TaskWrite): string | null {
  const last = events.at(-1);
  return last !== undefined && saidByRow(next, last) ? last.data : null;
}

function eventsApart({ next, events }: TaskWrite): readonly TaskEvent[] {
  return saidByRow(next, events.at(-1)) ? events.slice(0, -1) : events;
}

function eventRecord({ task, at, version, attempt, type, state, worker, data }: TaskEvent): string {
  return `${task},${at},${version},${attempt},${type},${state},${textField(worker)},${textField(data)}`;
}
