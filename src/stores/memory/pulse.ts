import { listenMs, nextChangeAt, type Session, workerState } from "../../core/liveness.ts";
import type { Pulse, PulseRequest } from "../../ports/pulse.ts";
import type { NodeRecord } from "../../ports/records.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { isAlive, type Memory } from "./memory.ts";
import { compareText } from "./sorted-list.ts";

export function pulse(memory: Memory, request: PulseRequest): Pulse {
  const { node, now, staying } = request;
  if (staying) memory.nodes.set(node.id, frozenCopy({ ...node, seenAt: now }));
  else memory.nodes.delete(node.id);
  return {
    now,
    leader: leads(memory, request),
    nodes: nodesSeen(memory, request),
    lanes: readyLanes(memory),
    nextRunAt: memory.delayed.first()?.row.runAt ?? null,
    nextDueAt: memory.due.first()?.row.dueAt ?? null,
    nextLostAt: nextLostAt(memory, request),
    catalog: memory.catalog,
    outbox: [...memory.outbox.values()].some(({ at }) => at <= now),
  };
}

/** Leadership is a lease: it ends at its time, or when its holder leaves. */
function leads(memory: Memory, { node, now, leaseMs, staying }: PulseRequest): boolean {
  const { leader } = memory;
  const free = leader === null || leader.node === node.id || leader.until <= now;
  if (!free) return false;
  if (staying) memory.leader = { node: node.id, until: now + leaseMs };
  else if (leader?.node === node.id) memory.leader = null;
  return staying;
}

function nodesSeen(memory: Memory, { node, now, leaseMs }: PulseRequest): NodeRecord[] {
  return [...memory.nodes.values()]
    .filter((other) => other.id === node.id || now - other.seenAt < leaseMs)
    .sort((a, b) => compareText(a.id, b.id));
}

function readyLanes(memory: Memory): number[] {
  return [...memory.shelves]
    .filter(([, shelf]) => shelf.ready.size > 0)
    .map(([lane]) => lane)
    .sort((a, b) => a - b);
}

function nextLostAt(memory: Memory, { now, heardMs }: PulseRequest): number | null {
  const ends = [...memory.workers.values()]
    .map(({ record }) => record)
    .filter(({ id, session }) => isAlive(memory, id) && (listenMs(session) <= heardMs || isBack(session, now)))
    .map(({ session }) => nextChangeAt(session, now));
  return ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b));
}

/** That it is heard again needs no listening. */
function isBack(session: Session, now: number): boolean {
  return session.told === "UNREACHABLE" && workerState(session, now) === "ONLINE";
}

export function readNodes({ nodes, leader }: Memory, { now }: Reads["nodes"]["query"]): Reads["nodes"]["answer"] {
  return {
    nodes: [...nodes.values()].sort((a, b) => compareText(a.id, b.id)),
    leader: leader !== null && leader.until > now ? leader.node : null,
  };
}
