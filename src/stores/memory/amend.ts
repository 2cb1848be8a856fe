import assert from "node:assert/strict";
import { laneText } from "../../core/lane.ts";
import { pauseKey } from "../../core/pause.ts";
import { isFinal } from "../../core/task-row.ts";
import type { JobView, Lane, LaneKey, OpenTask, TaskWrite, WorkerRecord } from "../../ports/records.ts";
import {
  type Amended,
  type Amendment,
  type AmendScope,
  type AmendView,
  type Decide,
  rowsMax,
} from "../../ports/store.ts";
import { writeCommand } from "./commands.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { checkMarks, lockedMarks, writeMarks } from "./marks.ts";
import { changeTask, type Entry, type Memory, openTask, standing } from "./memory.ts";
import { checkNames, lockedProviders, writeProviders } from "./providers.ts";
import { workerCopy } from "./read-catalog.ts";
import { compareText } from "./sorted-list.ts";
import { keepKey } from "./submit.ts";
import { checkHashes, writeToken } from "./tokens.ts";

export function amend<T>(memory: Memory, scope: AmendScope, decide: Decide<T>): Amended<T> {
  let view = viewOf(memory, scope);
  let amendment = decide(view);
  while ("families" in amendment) {
    view = { ...view, families: new Map([...view.families, ...familiesOf(memory, scope, amendment.families)]) };
    amendment = decide(view);
  }
  // All that can go wrong goes wrong before the first change.
  const changes = (amendment.tasks ?? []).map((write) => ({ write, entry: lockedEntry(memory, view, write) }));
  const limited = (amendment.laneLimits ?? []).map((limit) => limit.lane);
  assert(
    limited.every((lane) => memory.lanes.has(lane)),
    "a limit is for a lane that exists",
  );
  checkHashes(memory, amendment.tokens ?? []);
  checkNames(memory, amendment);
  checkMarks(scope, view, amendment);
  for (const { write, entry } of changes) changeTask(memory, entry, write);
  writeCatalog(memory, amendment);
  writeBeside(memory, amendment);
  return { answer: amendment.answer, lanes: (amendment.lanes ?? []).map((key) => laneOf(memory, key) as Lane) };
}

function viewOf(memory: Memory, scope: AmendScope): AmendView {
  return {
    jobs: found(scope.jobs, (name) => jobView(memory, name)),
    workers: found(scope.workers, (id) => workerView(memory, id)),
    providers: lockedProviders(memory, scope),
    tasks: found([...(scope.parents ?? []), ...(scope.tasks ?? []), ...heldBy(memory, scope)], (id) =>
      taskView(memory, id),
    ),
    outbox: new Set(scope.outbox?.filter((id) => memory.outbox.has(id))),
    pauses: found(scope.pauses?.map(pauseKey), (key) => memory.pauses.get(key)?.record),
    marks: lockedMarks(memory, scope),
    rooms: new Map(
      (scope.lanes ?? []).flatMap((id): [number, number][] => {
        const max = memory.lanes.get(id)?.record.maxRunning ?? null;
        return max === null ? [] : [[id, max - (memory.shelves.get(id)?.held ?? 0)]];
      }),
    ),
    tokens: found(scope.tokens, (id) => memory.tokens.get(id)),
    families: new Map(),
  };
}

function familiesOf(memory: Memory, { parents = [], tasks = [] }: AmendScope, ids: readonly string[]) {
  const named = new Set([...parents, ...tasks]);
  const isOpen = ({ card, row }: Entry): boolean => !named.has(card.id) && !isFinal(row.state);
  return ids.map((id) => [id, [...(memory.children.get(id) ?? [])].some(isOpen)] as const);
}

function found<T>(names: readonly string[] | undefined, look: (name: string) => T | undefined): Map<string, T> {
  const map = new Map<string, T>();
  for (const name of names ?? []) {
    const value = look(name);
    if (value !== undefined) map.set(name, value);
  }
  return map;
}

function jobView(memory: Memory, name: string): JobView | undefined {
  const job = memory.jobs.get(name)?.record;
  if (job === undefined) return undefined;
  const workers = [...memory.workers.values()].filter(({ record }) => record.jobs.has(name));
  return { job, workers: workers.length, pending: hasPending(memory, name) };
}

export function hasPending(memory: Memory, job: string): boolean {
  return [...memory.lanes.values()].some(({ record }) => {
    const shelf = memory.shelves.get(record.id);
    return record.job === job && shelf !== undefined && shelf.ready.size + shelf.delayed > 0;
  });
}

function workerView(memory: Memory, id: string): WorkerRecord | undefined {
  const worker = memory.workers.get(id)?.record;
  return worker === undefined ? undefined : workerCopy(worker);
}

function taskView(memory: Memory, id: string): OpenTask | undefined {
  const entry = openTask(memory, id);
  return entry === undefined ? undefined : { card: entry.card, row: entry.row };
}

function heldBy(memory: Memory, scope: AmendScope): string[] {
  const held = (scope.heldBy ?? []).flatMap((worker) => [...(memory.held.get(worker) ?? [])]);
  return held
    .map((entry) => entry.card.id)
    .sort(compareText)
    .slice(0, rowsMax);
}

function lockedEntry(memory: Memory, view: AmendView, write: TaskWrite): Entry {
  assert(view.tasks.has(write.next.id), "only tasks of the scope are written");
  const entry = standing(memory, write);
  assert(entry !== null, "a locked task is written as it was shown");
  return entry;
}

function writeCatalog(memory: Memory, amendment: Amendment<unknown>): void {
  const { jobs = [], lanes = [], laneLimits = [], workers = [], pauses = [] } = amendment;
  const missing = lanes.filter((key) => laneOf(memory, key) === undefined);
  if (jobs.length + missing.length + laneLimits.length + workers.length + pauses.length === 0) return;
  memory.catalog += 1;
  const revision = memory.catalog;
  for (const job of jobs) memory.jobs.set(job.name, { record: frozenCopy(job), revision });
  for (const key of missing) addLane(memory, key, revision);
  for (const { lane: id, paused, maxRunning } of laneLimits) {
    const lane = memory.lanes.get(id)?.record as Lane;
    memory.lanes.set(id, { record: frozenCopy({ ...lane, paused, maxRunning }), revision });
  }
  for (const worker of workers) memory.workers.set(worker.id, { record: frozenCopy(worker), revision });
  for (const pause of pauses) {
    const known = memory.pauses.get(pauseKey(pause))?.record;
    if (pause.endedAt !== null && known !== undefined && known.at !== pause.at) continue;
    memory.pauses.set(pauseKey(pause), { record: frozenCopy(pause), revision });
  }
}

function addLane(memory: Memory, key: LaneKey, revision: number): void {
  if (laneOf(memory, key) !== undefined) return;
  const { job, queue, labels, checksum } = key;
  const id = memory.lanes.size + 1;
  const record = frozenCopy({ id, job, queue, labels, checksum, paused: false, maxRunning: null });
  memory.lanes.set(id, { record, revision });
  memory.laneIds.set(laneText(key), id);
}

function laneOf(memory: Memory, key: LaneKey): Lane | undefined {
  const id = memory.laneIds.get(laneText(key));
  return id === undefined ? undefined : memory.lanes.get(id)?.record;
}

function writeBeside(memory: Memory, amendment: Amendment<unknown>): void {
  for (const item of amendment.outbox ?? []) memory.outbox.set(item.id, frozenCopy(item));
  for (const id of amendment.outboxDone ?? []) memory.outbox.delete(id);
  for (const key of amendment.keys ?? []) keepKey(memory, key);
  memory.workerEvents.push(...(amendment.workerEvents ?? []).map(frozenCopy));
  for (const token of amendment.tokens ?? []) writeToken(memory, token);
  for (const command of amendment.commands ?? []) writeCommand(memory, command);
  for (const entry of amendment.audit ?? []) memory.audit.set(entry.id, frozenCopy(entry));
  writeProviders(memory, amendment);
  writeMarks(memory, amendment.marks ?? []);
}
