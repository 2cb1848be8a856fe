// What follows a commit, and only a commit: wake-ups for whoever waits, news for whoever watches, numbers for whoever
// measures. All of it is best effort; the sweep and the pulse find what a crash or a lost message left undone.

import { isFinal } from "../core/task-row.ts";
import type { Bus } from "../ports/bus.ts";
import type { ClaimedTask, TaskCard, TaskWrite } from "../ports/records.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { Announcements } from "./announcements.ts";

export interface Effects {
  moved(card: TaskCard, write: TaskWrite): void;
  claimed(tasks: readonly ClaimedTask[], assigned: boolean): void;
  submitted(cards: readonly TaskCard[], runAt: readonly (number | null)[]): void;
  /** A lane has something to hand out. */
  onSupply(listener: (lane: number, count: number) => void): void;
  /** A task has let go of its place in the lane. */
  onFreed(listener: (lane: number) => void): void;
  /** Something will become due then. */
  onDue(listener: (at: number) => void): void;
}

export function effects(bus: Bus, telemetry: Telemetry, told: Announcements): Effects {
  const supplied: ((lane: number, count: number) => void)[] = [];
  const freed: ((lane: number) => void)[] = [];
  const due: ((at: number) => void)[] = [];

  function supply(lane: number, count: number): void {
    for (const listener of supplied) listener(lane, count);
    bus.publish(`supply:${lane}`);
  }

  function dueAt(at: number | null): void {
    if (at !== null) for (const listener of due) listener(at);
  }

  return {
    moved(card, write) {
      for (const event of write.events) telemetry.moved(event.type, 1);
      const { next } = write;
      dueAt(next.dueAt);
      dueAt(next.runAt);
      if (next.worker === null || isFinal(next.state)) for (const listener of freed) listener(card.lane);
      if (next.state === "pending" && next.runAt === null) supply(card.lane, 1);
      if (write.events.length > 0) bus.publish(`task:${card.id}`, next.state);
      if (next.worker !== null && isTakenAway(write)) bus.publish(`worker:${next.worker}`, `cancel ${card.id}`);
      told.moved(card, write);
    },
    claimed(tasks, assigned) {
      if (tasks.length > 0) telemetry.moved(assigned ? "task.assigned" : "task.claimed", tasks.length);
      for (const { card, row } of tasks) {
        dueAt(row.dueAt);
        bus.publish(`task:${card.id}`, row.state);
      }
      told.claimed(tasks);
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
    },
    onSupply: (listener) => void supplied.push(listener),
    onFreed: (listener) => void freed.push(listener),
    onDue: (listener) => void due.push(listener),
  };
}

/** It ended, and not by its worker. */
function isTakenAway({ next, events }: TaskWrite): boolean {
  return next.state === "cancelled" || events.some(({ type }) => type === "task.timed_out");
}
