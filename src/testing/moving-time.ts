// Moving a server's clock while real programs talk to it. Time goes from alarm to alarm, each at its own time, and stands
// still until what it set going has come to rest: in the engine, which is a matter of turns of the event loop, and at the
// workers, which are given a little real time.

import { setTimeout as pause } from "node:timers/promises";
import { isGivenUp } from "../core/liveness.ts";
import type { Operations } from "../engine/engine.ts";
import type { TaskRecord } from "../ports/records.ts";
import { systemClock } from "../server/system.ts";
import type { TestFoundation } from "./test-foundation.ts";

export interface MovingParts extends Pick<TestFoundation, "clock" | "store" | "activity"> {
  readonly operations: Operations;
  /** How long a handler may take, in real time, before the clock goes on without it. */
  readonly patienceMs: number;
  /** How many claims wait at the server once every worker of this test has come to rest, given who holds how much. */
  claimsExpected(held: ReadonlyMap<string, number>): number;
}

/** Turns of the event loop without a sign of the engine after which it is at rest. */
const restTurns = 5;
/** Real time without a sign of anybody after which all are at rest. */
const quietMs = 5;
/** Two programs that keep each other busy without an end must not keep the clock from moving. */
const busyMsMax = 5_000;
const heldMax = 10_000;

export function movingTime(parts: MovingParts): (ms: number) => Promise<void> {
  const { clock, activity, operations } = parts;
  const machine = systemClock();
  /** Attempts that have used up our patience. */
  const slow = new Set<string>();
  /** Claims that have: a worker may be busy with a handler whose task is not its own any more. */
  let missed = 0;
  let beatenAt = clock.now();

  async function advance(ms: number): Promise<void> {
    const end = clock.now() + ms;
    // What was set going before belongs to the time before.
    await quiet();
    while (clock.now() < end) {
      await beat();
      const next = Math.min(clock.nextAt() ?? end, end);
      const moves = activity.moves;
      clock.advance(Math.max(0, next - clock.now()));
      await atRest();
      if (activity.moves !== moves) await quiet();
      else await claimed();
    }
  }

  /** Workers live in real time, in which next to nothing has passed: silence proves nothing against them. */
  async function beat(): Promise<void> {
    const alive = [...operations.catalog.workers()].filter(({ session }) => !isGivenUp(session));
    const everyMs = Math.min(...alive.map(({ session }) => session.lostMs)) / 6;
    if (clock.now() - beatenAt < everyMs) return;
    beatenAt = clock.now();
    // One that was given up in this moment has nothing to lose any more.
    await Promise.all(alive.map(({ id }) => operations.beat(id).catch(() => {})));
  }

  async function atRest(): Promise<void> {
    for (let turn = 0, seen = activity.all; turn < restTurns; turn += 1) {
      await new Promise(setImmediate);
      if (activity.all !== seen) turn = 0;
      seen = activity.all;
    }
  }

  async function quiet(): Promise<void> {
    const end = machine.now() + busyMsMax;
    // Counted in pauses, which are longer where the machine is busy, as everything is.
    for (let pausedMs = quietMs; ; pausedMs += quietMs) {
      const seen = activity.all;
      await pause(quietMs);
      if (activity.all !== seen && machine.now() < end) continue;
      const inHand = await held();
      const waitedFor = inHand.filter((task) => !slow.has(attemptOf(task)));
      const lacking = lackingClaims(inHand);
      if (waitedFor.length === 0 && lacking <= missed) return;
      if (pausedMs < parts.patienceMs) continue;
      for (const task of waitedFor) slow.add(attemptOf(task));
      missed = lacking;
      return;
    }
  }

  /** Claims that waited for as long as they may are made again at once. */
  async function claimed(): Promise<void> {
    const end = machine.now() + parts.patienceMs;
    for (;;) {
      const lacking = lackingClaims(await held());
      if (lacking <= missed || machine.now() >= end) {
        missed = lacking;
        return;
      }
      await new Promise(setImmediate);
    }
  }

  async function held(): Promise<readonly TaskRecord[]> {
    const page = { limit: heldMax, offset: 0 };
    const lists = (["claimed", "running"] as const).map((state) => parts.store.read("taskList", { state, ...page }));
    return (await Promise.all(lists)).flatMap(({ items }) => items);
  }

  function lackingClaims(inHand: readonly TaskRecord[]): number {
    const byWorker = new Map<string, number>();
    for (const { row } of inHand) {
      if (row.worker !== null) byWorker.set(row.worker, (byWorker.get(row.worker) ?? 0) + 1);
    }
    return Math.max(0, parts.claimsExpected(byWorker) - operations.waitingClaims());
  }

  return advance;
}

function attemptOf({ row }: TaskRecord): string {
  return `${row.id}/${row.attempt}`;
}
