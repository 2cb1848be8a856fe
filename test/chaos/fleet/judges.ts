// What must hold in the end, by the histories in the database and by what callers and workers have seen. Each fault is a
// sentence that names the task.

import type { TaskEvent } from "../../../src/core/task-event.ts";
import { isFinal } from "../../../src/core/task-row.ts";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import type { Crew } from "./crew.ts";
import type { FaultRecord } from "./faults.ts";
import type { Accepted } from "./load.ts";
import type { Deed } from "./words.ts";

export type Histories = ReadonlyMap<string, HistoryRecord>;

/** One end each, and the one that its payload asks for, but for failures that something excuses. */
export function outcomeFaults(histories: Histories, isExcused: (failed: HistoryRecord) => boolean): string[] {
  return [...histories.values()].flatMap((record) => {
    const { task, events } = record;
    const ends = events.filter(({ state }) => isFinal(state)).length;
    if (ends !== 1) return [`task ${task.card.id} has ${ends} ends: ${told(events)}`];
    const { fail } = JSON.parse(task.payload) as Deed;
    const { state } = task.row;
    const isAsAsked = state === (fail === "always" ? "failed" : "completed");
    if (isAsAsked || (state === "failed" && isExcused(record))) return [];
    return [`task ${task.card.id} is ${state}, asked for was ${fail ?? "success"}: ${told(events)}`];
  });
}

/**
 * A worker that is taken for lost must not have been heard in the last half of its window: a beat that was answered is
 * known to the server that answered it, is written within a second if it is worth it, and worth it is what is older than
 * a quarter of the window. So much a server that is killed takes with it, and no more. A sign of life whose answer came
 * only after the loss may have been what the loss was found by, and says nothing.
 */
export function livingLostFaults(histories: Histories, heard: Crew["heard"], windowMs: number): string[] {
  return [...histories.values()].flatMap(({ task, events }) =>
    events.flatMap(({ type, worker, at }) => {
      if (type !== "task.lost" || worker === null) return [];
      const last = heard.get(worker)?.findLast(({ answeredAt }) => answeredAt <= at);
      if (last === undefined || at - last.at >= windowMs / 2) return [];
      const ago = `${at - last.at} ms before, and answered ${at - last.answeredAt} ms before`;
      return [`task ${task.card.id} was taken from ${worker}, which was heard ${ago}: ${told(events)}`];
    }),
  );
}

/** An attempt is in one pair of hands. */
export function doubledFaults(began: Crew["began"]): string[] {
  return [...began].flatMap(([attempt, members]) => {
    if (members.size < 2) return [];
    const who = [...members].map((member) => `${member.orders.door} ${member.worker()}`);
    return [`attempt ${attempt} was begun by ${who.join(" and ")}`];
  });
}

export interface OrderOptions {
  readonly accepted: readonly Accepted[];
  readonly faults: readonly FaultRecord[];
  /** Two claims that are under way at once may be written in either order. */
  readonly slackMs: number;
  /** Whatever was wrong, others may not go before it for longer. */
  readonly passedOverMaxMs: number;
}

interface InLine {
  readonly id: string;
  readonly readyAt: number;
  readonly givenAt: number;
}

/**
 * Tasks of one job, queue and priority are given out for the first time in the order of their ids. One may be passed over
 * for as long as two claims overlap; for longer only where a fault has undone the claim that it was in, that is, where
 * something broke, or was broken, between the moment at which a later one was given out and its own turn.
 */
export function orderFaults(histories: Histories, options: OrderOptions): string[] {
  const readyAt = new Map(options.accepted.map(({ id, at }) => [id, at]));
  const lines = Map.groupBy(histories.values(), ({ task: { card } }) => `${card.lane} ${card.priority}`);
  return [...lines.values()].flatMap((records) => {
    const line = records.flatMap(({ task, events }): InLine[] => {
      const first = events.find(({ type }) => type === "task.claimed" || type === "task.assigned");
      if (first === undefined) return [];
      const { id } = task.card;
      return [{ id, readyAt: readyAt.get(id) ?? Number.POSITIVE_INFINITY, givenAt: first.at }];
    });
    return lineFaults(line, options);
  });
}

function lineFaults(line: readonly InLine[], { faults, slackMs, passedOverMaxMs }: OrderOptions): string[] {
  const byTurn = line.toSorted((one, other) => one.givenAt - other.givenAt);
  return line.flatMap((task) => {
    const isPast = (other: InLine) =>
      other.id > task.id && other.givenAt > task.readyAt && other.givenAt < task.givenAt - slackMs;
    const last = byTurn.findLast(isPast);
    if (last === undefined) return [];
    const first = byTurn.find(isPast) as InLine;
    const isExplained = faults.some(({ from, to }) => from <= task.givenAt && to >= last.givenAt - slackMs);
    // While nobody is given anything, nobody is passed over.
    const passedOverMs = last.givenAt - first.givenAt;
    if (isExplained && passedOverMs <= passedOverMaxMs) return [];
    const by = `${first.id} at ${first.givenAt} to ${last.id} at ${last.givenAt}`;
    const why = isExplained ? "too long" : "and nothing was wrong";
    return [`task ${task.id}, ready at ${task.readyAt}, given at ${task.givenAt}, was passed over by ${by}, ${why}`];
  });
}

export function told(events: readonly TaskEvent[]): string {
  const line = ({ type, attempt, worker, at, data }: TaskEvent) => [type.slice(5), attempt, worker, `at ${at}`, data];
  return events.map((event) => line(event).join(" ")).join("; ");
}
