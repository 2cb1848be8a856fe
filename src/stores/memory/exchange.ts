import type { Profile } from "../../core/liveness.ts";
import { transition } from "../../core/task.ts";
import type { ClaimedTask, TaskWrite } from "../../ports/records.ts";
import type { Demand, ExchangeAnswer, Taker } from "../../ports/store.ts";
import { changeTask, claimOrder, type Entry, isAlive, type Memory, standing } from "./memory.ts";

export function exchange(
  memory: Memory,
  writes: readonly TaskWrite[],
  demands: readonly Demand[],
  now: number,
): ExchangeAnswer {
  const written = writes.map((write) => settle(memory, write));
  const settled = new Set(writes.map((write) => write.next.id));
  const claimed = demands.map((demand) => serve(memory, demand, settled, now));
  return { written, claimed };
}

function settle(memory: Memory, write: TaskWrite): boolean {
  const entry = standing(memory, write);
  if (entry === null) return false;
  changeTask(memory, entry, write);
  return true;
}

function serve(memory: Memory, demand: Demand, settled: ReadonlySet<string>, now: number): ClaimedTask[][] {
  const limits = demand.takers.map((taker) => (isAlive(memory, taker.worker) ? taker.limit : 0));
  const wanted = limits.reduce((sum, limit) => sum + limit, 0);
  const supply = demand.lanes.map((lane) => readyIn(memory, demand, lane, settled));
  const found = firstOf(supply, wanted);
  return demand.takers.map((taker, index) =>
    found.splice(0, limits[index]).map((entry) => take(memory, entry, taker, now)),
  );
}

/** What a lane can give to this demand, in claim order. */
function* readyIn(memory: Memory, demand: Demand, lane: number, settled: ReadonlySet<string>): Generator<Entry> {
  const max = demand.limited.includes(lane) ? (memory.lanes.get(lane)?.record.maxRunning ?? null) : null;
  const shelf = memory.shelves.get(lane);
  let room = max === null ? Number.POSITIVE_INFINITY : max - (shelf?.held ?? 0);
  for (const entry of shelf?.ready ?? []) {
    if (room <= 0) return;
    if (settled.has(entry.card.id)) continue;
    room -= 1;
    yield entry;
  }
}

/** Merges the lanes: the first of all, `wanted` times. */
function firstOf(supply: readonly Iterator<Entry>[], wanted: number): Entry[] {
  const heads = supply.map((lane) => lane.next());
  const found: Entry[] = [];
  while (found.length < wanted) {
    let best = -1;
    heads.forEach((head, index) => {
      if (head.done) return;
      const leading = heads[best];
      if (leading === undefined || leading.done || claimOrder(head.value, leading.value) < 0) best = index;
    });
    const head = heads[best];
    if (head === undefined || head.done) break;
    found.push(head.value);
    heads[best] = (supply[best] as Iterator<Entry>).next();
  }
  return found;
}

function take(memory: Memory, entry: Entry, taker: Taker, now: number): ClaimedTask {
  const move = { type: taker.assign ? "assign" : "claim", worker: taker.worker } as const;
  const around = { now, policy: entry.card.policy, profile: dueAfter(taker.dueMs), jitter: 0 };
  const { next, event } = transition(entry.row, move, around);
  const leasedUntil = taker.leaseMs === null ? null : now + taker.leaseMs;
  changeTask(memory, entry, { next: { ...next, leasedUntil }, events: [event], outcome: null });
  return { card: entry.card, row: entry.row, payload: entry.payload };
}

/** A taker has said what its profile comes to, so this one says just that and nothing else. */
function dueAfter(dueMs: number | null): Profile {
  return { ...silentProfile, stuckTaskMs: dueMs };
}

const silentProfile: Profile = {
  beatMs: 0,
  unreachableMs: null,
  lostMs: 0,
  removedMs: 0,
  onWorkerLost: "requeue",
  lostCode: "",
  removedCode: "",
  ownLeaseMs: null,
  eventGraceMs: 0,
  startWithinMs: null,
  stuckTaskMs: null,
  stuckBasis: "polledAt",
  stuckCode: "",
  stuckMessage: "",
  timeoutMs: null,
  stallMs: null,
};
