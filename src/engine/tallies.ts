// What this server has counted and not written yet: a few additions for each move that was committed, and nothing else, for
// this is on the way of every task.

import { bucketOf, bucketsMax, trimmed } from "../core/histogram.ts";
import {
  type CountName,
  type FailureCount,
  failuresBy,
  minuteMs,
  otherRooms,
  type Statistic,
  sampleCharsMax,
  statisticsBy,
} from "../core/statistics.ts";
import type { Outcome } from "../core/task-row.ts";
import type { ClaimedTask, TaskCard, TaskWrite } from "../ports/records.ts";
import type { Counted } from "../ports/statistic-store.ts";
import { readyTimes } from "./ready-times.ts";

export interface Tallies {
  moved(card: TaskCard, write: TaskWrite): void;
  claimed(tasks: readonly ClaimedTask[], assigned: boolean): void;
  submitted(cards: readonly TaskCard[], runAt: readonly (number | null)[]): void;
  /** All that was counted since the last time. */
  take(): Counted;
}

interface Cell extends Record<CountName, number> {
  readonly minute: number;
  readonly lane: number;
  readonly room: string;
  wait: Uint32Array | null;
  run: Uint32Array | null;
}

/** So many are told apart until they are taken: where every task has a room of its own, there would be no end of rows. */
const cellsMax = 5_000;

/** Of a job whose errors never read the same only so many are told apart; each task keeps its own. */
const failuresMax = 100;

export interface TallyParts {
  /** Undefined for a lane that nobody knows: what is counted of it is forgotten. */
  readonly jobOf: (lane: number) => string | undefined;
  /** There is something to take now. */
  readonly onFirst: () => void;
}

export function tallies({ jobOf, onFirst }: TallyParts): Tallies {
  const ready = readyTimes();
  const failures = failureTally(jobOf);
  const cells = cellTable(onFirst);

  function waited(card: TaskCard, attempt: number, at: number, cell: Cell): void {
    const since = ready.taken(card, attempt);
    if (since === null) return;
    cell.wait ??= new Uint32Array(bucketsMax);
    increase(cell.wait, at - since);
  }

  function ended(card: TaskCard, { next, outcome }: TaskWrite, cell: Cell): void {
    if (outcome === null) return;
    cell[outcome.state] += 1;
    ready.forget(card.id);
    if (outcome.fingerprint !== undefined) failures.add(card, outcome.fingerprint, outcome);
    const since = next.startedAt ?? next.claimedAt;
    if (outcome.state === "cancelled" || since === null) return;
    cell.run ??= new Uint32Array(bucketsMax);
    increase(cell.run, outcome.finishedAt - since);
  }

  return {
    moved(card, write) {
      const { next, events } = write;
      if (events.length === 0) return;
      const cell = cells.of(card, next.activeAt);
      for (const { type, at, attempt } of events) {
        switch (type) {
          case "task.claimed":
            waited(card, attempt, at, cell);
            break;
          case "task.assigned":
            waited(card, attempt, at, cell);
            cell.started += 1;
            break;
          case "task.started":
            cell.started += 1;
            break;
          case "task.lost":
            cell.lost += 1;
            break;
          case "task.retried":
            cell.retried += 1;
            break;
        }
      }
      if (next.state === "pending") ready.back(next, events);
      ended(card, write, cell);
    },
    claimed(tasks, assigned) {
      for (const { card, row } of tasks) {
        const cell = cells.of(card, row.activeAt);
        if (assigned) cell.started += 1;
        waited(card, row.attempt, row.activeAt, cell);
      }
    },
    submitted(cards, runAt) {
      for (const [index, card] of cards.entries()) {
        cells.of(card, card.createdAt).submitted += 1;
        ready.submitted(card, runAt[index] ?? null);
      }
    },
    take() {
      const found = cells.take().flatMap((cell) => statisticOf(cell, jobOf));
      // A job may have several lanes.
      return { statistics: statisticsBy(minuteMs, found), failures: failures.take() };
    },
  };
}

function cellTable(onFirst: TallyParts["onFirst"]) {
  let cells = new Map<number, Map<number, Map<string, Cell>>>();
  let all: Cell[] = [];
  // Moves of one moment are mostly of one lane and room.
  let last: Cell | null = null;

  function newCell(minute: number, lane: number, room: string): Cell {
    const cell = emptyCell(minute, lane, room);
    all.push(cell);
    return cell;
  }

  return {
    of({ lane, room }: TaskCard, at: number): Cell {
      const minute = at - (at % minuteMs);
      if (last !== null && last.minute === minute && last.lane === lane && last.room === room) return last;
      if (all.length === 0) onFirst();
      const lanes = entry(cells, minute, () => new Map<number, Map<string, Cell>>());
      const rooms = entry(lanes, lane, () => new Map<string, Cell>());
      const name = all.length < cellsMax || rooms.has(room) ? room : otherRooms;
      last = entry(rooms, name, () => newCell(minute, lane, name));
      return last;
    },
    take(): readonly Cell[] {
      const taken = all;
      [cells, all, last] = [new Map(), [], null];
      return taken;
    },
  };
}

function failureTally(jobOf: TallyParts["jobOf"]) {
  let failures: FailureCount[] = [];
  return {
    add({ id, lane, room }: TaskCard, fingerprint: string, { error, finishedAt }: Outcome): void {
      const job = jobOf(lane);
      if (error === null || job === undefined) return;
      failures.push({
        ...{ at: finishedAt, room, fingerprint, tasks: 1, job, code: error.code, task: id },
        // Half a pair of surrogates is no text that every store can keep.
        error: error.message.slice(0, sampleCharsMax).toWellFormed(),
        ...{ firstAt: finishedAt, lastAt: finishedAt },
      });
      // A burst of the same failure is one.
      if (failures.length > 2 * failuresMax) failures = failuresBy(minuteMs, failures).slice(0, failuresMax);
    },
    take(): FailureCount[] {
      const taken = failuresBy(minuteMs, failures);
      failures = [];
      return taken;
    },
  };
}

function emptyCell(minute: number, lane: number, room: string): Cell {
  const none = { submitted: 0, started: 0, completed: 0, failed: 0, cancelled: 0, lost: 0, retried: 0 };
  return { minute, lane, room, ...none, wait: null, run: null };
}

function statisticOf({ minute, lane, room, wait, run, ...counts }: Cell, jobOf: TallyParts["jobOf"]): Statistic[] {
  const job = jobOf(lane);
  if (job === undefined) return [];
  return [{ at: minute, room, job, ...counts, wait: trimmed(wait ?? []), run: trimmed(run ?? []) }];
}

function increase(counts: Uint32Array, ms: number): void {
  const bucket = bucketOf(ms);
  counts[bucket] = (counts[bucket] as number) + 1;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
