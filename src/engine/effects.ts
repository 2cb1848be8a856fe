// What follows a commit, and only a commit: wake-ups for whoever waits, news for whoever watches, numbers for whoever
// measures. All of it is best effort; the sweep and the pulse find what a crash or a lost message left undone.

import type { EventType } from "../core/task-event.ts";
import { isFinal } from "../core/task-row.ts";
import type { Bus } from "../ports/bus.ts";
import type { ClaimedTask, Message, OutboxItem, TaskCard, TaskWrite } from "../ports/records.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { Announcements } from "./announcements.ts";
import type { Tallies } from "./tallies.ts";

/** What was written about a task. */
export interface Change {
  readonly card: TaskCard;
  readonly write: TaskWrite;
}

/** A task that anybody may take now, as it is at this version. */
export interface ReadyTask extends Message {
  readonly lane: number;
}

export interface Effects {
  moved(card: TaskCard, write: TaskWrite): void;
  /** Those of one commit, for which much is said once. */
  movedAll(changes: readonly Change[]): void;
  claimed(tasks: readonly ClaimedTask[], assigned: boolean): void;
  submitted(cards: readonly TaskCard[], runAt: readonly (number | null)[]): void;
  /** Items of the outbox that were written with a move. */
  noted(items: readonly OutboxItem[]): void;
  /** A lane has something to hand out. */
  onSupply(listener: (lane: number, count: number) => void): void;
  /** A task has let go of its place in the lane. */
  onFreed(listener: (lane: number) => void): void;
  /** Some have; told once for all of a commit. */
  onSomeFreed(listener: () => void): void;
  /** Told of those of one commit at once. */
  onReady(listener: (tasks: readonly ReadyTask[]) => void): void;
  onNoted(listener: (items: readonly OutboxItem[]) => void): void;
  /** Something will become due then. */
  onDue(listener: (at: number) => void): void;
}

export interface EffectsParts {
  readonly bus: Bus;
  readonly telemetry: Telemetry;
  readonly told: Announcements;
  readonly tallies: Omit<Tallies, "take">;
  /** Names this one: whoever listens here has heard of its supply already, and how much it is. */
  readonly server: string;
}

export function effects({ bus, telemetry, told, tallies, server }: EffectsParts): Effects {
  const supplied: ((lane: number, count: number) => void)[] = [];
  const freed: ((lane: number) => void)[] = [];
  const someFreed: (() => void)[] = [];
  const due: ((at: number) => void)[] = [];
  const ready: ((tasks: readonly ReadyTask[]) => void)[] = [];
  const noted: ((items: readonly OutboxItem[]) => void)[] = [];

  function supply(lane: number, count: number): void {
    for (const listener of supplied) listener(lane, count);
    bus.publish(`supply:${lane}`, server);
  }

  function dueAt(at: number | null): void {
    if (at !== null) for (const listener of due) listener(at);
  }

  function tellReady(tasks: readonly ReadyTask[]): void {
    if (tasks.length > 0) for (const listener of ready) listener(tasks);
  }

  function movedAll(changes: readonly Change[]): void {
    const counts = new Map<EventType, number>();
    let dueFirst: number | null = null;
    let anyFreed = false;
    const readied: ReadyTask[] = [];
    for (const { card, write } of changes) {
      const { next, events } = write;
      for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
      dueFirst = earliest(dueFirst, earliest(next.dueAt, next.runAt));
      // What is counted on a task that waits in nobody's hands lets go of nothing.
      if (isFinal(next.state) || (next.worker === null && isNews(write))) {
        anyFreed = true;
        for (const listener of freed) listener(card.lane);
      }
      if (next.state === "pending" && next.runAt === null && isNews(write)) {
        supply(card.lane, 1);
        readied.push({ task: card.id, version: next.version, lane: card.lane });
      }
      if (events.length > 0) bus.publish(`task:${card.id}`, next.state);
      if (next.worker !== null && isTakenAway(write)) bus.publish(`worker:${next.worker}`, `cancel ${card.id}`);
      told.moved(card, write);
      tallies.moved(card, write);
    }
    for (const [type, count] of counts) telemetry.moved(type, count);
    dueAt(dueFirst);
    if (anyFreed) for (const listener of someFreed) listener();
    tellReady(readied);
  }

  return {
    moved: (card, write) => movedAll([{ card, write }]),
    movedAll,
    claimed(tasks, assigned) {
      if (tasks.length > 0) telemetry.moved(assigned ? "task.assigned" : "task.claimed", tasks.length);
      let dueFirst: number | null = null;
      for (const { card, row } of tasks) {
        dueFirst = earliest(dueFirst, row.dueAt);
        bus.publish(`task:${card.id}`, row.state);
      }
      dueAt(dueFirst);
      told.claimed(tasks);
      tallies.claimed(tasks, assigned);
    },
    submitted(cards, runAt) {
      telemetry.moved("task.submitted", cards.length);
      const perLane = new Map<number, number>();
      cards.forEach((card, index) => {
        const at = runAt[index] ?? null;
        if (at === null) perLane.set(card.lane, (perLane.get(card.lane) ?? 0) + 1);
        else dueAt(at);
      });
      for (const [lane, count] of perLane) supply(lane, count);
      told.submitted(cards, runAt);
      tallies.submitted(cards, runAt);
      if (ready.length > 0) tellReady(readyOf(cards, runAt));
    },
    noted(items) {
      if (items.length > 0) for (const listener of noted) listener(items);
    },
    onReady: (listener) => void ready.push(listener),
    onNoted: (listener) => void noted.push(listener),
    onSupply: (listener) => void supplied.push(listener),
    onFreed: (listener) => void freed.push(listener),
    onSomeFreed: (listener) => void someFreed.push(listener),
    onDue: (listener) => void due.push(listener),
  };
}

/** A task begins with version 1. */
function readyOf(cards: readonly TaskCard[], runAt: readonly (number | null)[]): ReadyTask[] {
  return cards.flatMap(({ id, lane }, index) => (runAt[index] == null ? [{ task: id, version: 1, lane }] : []));
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

/** What is counted on a task that waits changes nothing for whoever may take it. */
function isNews({ events }: TaskWrite): boolean {
  return events.some(({ type }) => type !== "task.counted");
}

/** It ended, and not by its worker. */
function isTakenAway({ next, events }: TaskWrite): boolean {
  return next.state === "cancelled" || events.some(({ type }) => type === "task.timed_out");
}
