// Who waits for which lane, and in which order: whoever has least in hand first, then the longest waiting. Workers that
// may serve the same lanes sit together, so that coming and going costs the same however many lanes there are. A lane
// someone waits for is a topic this server wants to hear of; a lane nobody waits for is not.

import type { Bus } from "../ports/bus.ts";
import type { LaneSet } from "./catalog.ts";
import type { Waiter } from "./waiting-room.ts";

export interface Seat {
  readonly since: number;
  readonly row: Set<Waiter>;
}

export interface LaneSeats {
  join(waiter: Waiter): void;
  quit(waiter: Waiter): void;
  /** Where it wants something. */
  sit(waiter: Waiter): void;
  stand(waiter: Waiter): void;
  inLane(lane: number): Iterable<Waiter>;
  count(lane: number): number;
}

/** Those who may serve the same lanes. */
interface Group {
  readonly set: LaneSet;
  /** By how much they have in hand. */
  readonly rows: Map<number, Set<Waiter>>;
  readonly deafen: (() => void)[];
  members: number;
}

export function laneSeats(bus: Bus, onSupply: (lane: number, server: string) => void): LaneSeats {
  const groups = new Map<LaneSet, Group>();
  const byLane = new Map<number, Set<Group>>();
  let seats = 0;

  function groupOf(set: LaneSet): Group {
    const known = groups.get(set);
    if (known !== undefined) return known;
    const deafen = set.lanes.map((lane) => bus.subscribe(`supply:${lane}`, (server) => onSupply(lane, server)));
    const group: Group = { set, rows: new Map(), deafen, members: 0 };
    groups.set(set, group);
    for (const lane of set.lanes) byLane.set(lane, (byLane.get(lane) ?? new Set()).add(group));
    return group;
  }

  function join(waiter: Waiter): void {
    groupOf(waiter.lanes).members += 1;
    sit(waiter);
  }

  function quit(waiter: Waiter): void {
    stand(waiter);
    const group = groups.get(waiter.lanes) as Group;
    group.members -= 1;
    if (group.members > 0) return;
    groups.delete(group.set);
    for (const deafen of group.deafen) deafen();
    for (const lane of group.set.lanes) {
      const there = byLane.get(lane) as Set<Group>;
      there.delete(group);
      if (there.size === 0) byLane.delete(lane);
    }
  }

  function sit(waiter: Waiter): void {
    if (waiter.free() <= 0) return;
    const { rows } = groupOf(waiter.lanes);
    let row = rows.get(waiter.load);
    if (row === undefined) {
      row = new Set();
      rows.set(waiter.load, row);
    }
    row.add(waiter);
    seats += 1;
    waiter.seat = { since: seats, row };
  }

  function stand(waiter: Waiter): void {
    const { seat } = waiter;
    if (seat === null) return;
    waiter.seat = null;
    seat.row.delete(waiter);
    // Rows of rare loads would pile up.
    const { rows } = groups.get(waiter.lanes) as Group;
    if (seat.row.size === 0) for (const [load, row] of rows) if (row === seat.row) rows.delete(load);
  }

  function rowsIn(lane: number): [number, Set<Waiter>][] {
    return [...(byLane.get(lane) ?? [])].flatMap(({ rows }) => [...rows]);
  }

  function* inLane(lane: number): Iterable<Waiter> {
    const rows = rowsIn(lane).sort(([a], [b]) => a - b);
    for (let index = 0; index < rows.length; ) {
      const load = rows[index]?.[0];
      const same = rows.filter(([other]) => other === load).map(([, row]) => row);
      if (same.length === 1) yield* same[0] as Set<Waiter>;
      else yield* byAge(same);
      index += same.length;
    }
  }

  const count = (lane: number): number => rowsIn(lane).reduce((sum, [, row]) => sum + row.size, 0);

  return { join, quit, sit, stand, inLane, count };
}

/** Several rows as one, the longest waiting first. */
function* byAge(rows: readonly Set<Waiter>[]): Iterable<Waiter> {
  const heads = rows.map((row) => row.values()).map((rest) => ({ rest, next: rest.next() }));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.next.done === true) continue;
      if (first === null || age(head.next.value) < age(first.next.value as Waiter)) first = head;
    }
    if (first === null) return;
    const waiter = first.next.value as Waiter;
    yield waiter;
    first.next = first.rest.next();
  }
}

const age = ({ seat }: Waiter): number => seat?.since ?? 0;
