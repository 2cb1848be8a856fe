import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventType } from "../../../src/core/task-event.ts";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import type { CrewMember, Span } from "./crew.ts";
import { excuseOf, type Witnesses } from "./excuses.ts";
import type { FaultName, FaultRecord } from "./faults.ts";

const member = { orders: { door: "fleet", url: "http://one" } } as CrewMember;
const other = { orders: { door: "fleet", url: "http://two" } } as CrewMember;

/** A block that `w` polled at 0, and what the server made an end of. */
function failed(type: EventType, at: number, code: string): HistoryRecord {
  const about = { task: "a", attempt: 1, worker: "w" };
  const events = [
    { ...about, type: "task.claimed", state: "claimed", at: 0, data: null },
    { ...about, type, state: "failed", at, data: JSON.stringify({ error: "said", code }) },
  ];
  return { events } as unknown as HistoryRecord;
}

function witnesses({ faults = [], unanswered = [], began = [] }: Partial<Seen> = {}): Witnesses {
  const memberOf = new Map([["w", member]]);
  const crew = { memberOf, began: new Map(began.map((key) => [key, new Set([member])])) };
  return {
    ...{ crew: { ...crew, unanswered: new Map([["w", unanswered]]) }, faults, windowMs: 5_000, stuckMs: 15_000 },
  };
}

interface Seen {
  readonly faults: readonly FaultRecord[];
  readonly unanswered: readonly Span[];
  readonly began: readonly string[];
}

const fault = (
  name: FaultName,
  from: number,
  to: number,
  whom: Pick<FaultRecord, "member" | "server">,
): FaultRecord => ({
  ...{ name, about: "", from, to, ...whom },
});
const serverOf = ({ orders: { url } }: CrewMember) => ({ url }) as NonNullable<FaultRecord["server"]>;

test("a block may fail with its worker where that was killed, stopped, or without its server for half a window", () => {
  const lost = failed("task.lost", 10_000, "WORKER_OFFLINE");
  const judge = (...faults: FaultRecord[]) => excuseOf(lost, witnesses({ faults }));
  assert.equal(judge(), null, "nothing was wrong");
  assert.equal(judge(fault("kill a worker", 7_500, 7_500, { member })), "WORKER_OFFLINE");
  assert.equal(judge(fault("kill a worker", 7_501, 7_501, { member })), null, "it lived half a window before");
  assert.equal(judge(fault("kill a worker", 1, 1, { member: other })), null, "it was another");
  assert.equal(judge(fault("stop a worker", 4_000, 7_500, { member })), "WORKER_OFFLINE");
  assert.equal(judge(fault("stop a worker", 1_000, 7_499, { member })), null, "it was back in time");
  assert.equal(judge(fault("kill a server", 5_000, 7_500, { server: serverOf(member) })), "WORKER_OFFLINE");
  assert.equal(judge(fault("kill a server", 5_000, 9_000, { server: serverOf(other) })), null, "it was not its own");
  assert.equal(judge(fault("restart PostgreSQL, fast", 1_000, 9_000, {})), null, "who cannot hear judges nobody");
});

test("two silences count together, and what they share once", () => {
  const lost = failed("task.lost", 10_000, "WORKER_OFFLINE");
  const judge = (...faults: FaultRecord[]) => excuseOf(lost, witnesses({ faults }));
  const down = fault("kill a server", 5_000, 6_500, { server: serverOf(member) });
  assert.equal(judge(down, fault("stop a worker", 6_000, 7_500, { member })), "WORKER_OFFLINE");
  assert.equal(judge(down, fault("stop a worker", 5_500, 7_000, { member })), null);
  assert.equal(judge(down, fault("stop a worker", 5_100, 6_000, { member })), null);
});

test("a block may be stuck where the answer to its poll was lost, or its worker is silent; if its worker could tell, never", () => {
  const stuck = failed("task.timed_out", 15_000, "STUCK_JOB_TIMEOUT");
  const unanswered = [{ from: -100, to: 200 }];
  const stopped = (to: number) => fault("stop a worker", 5_000, to, { member });
  assert.equal(excuseOf(stuck, witnesses({ unanswered })), "STUCK_JOB_TIMEOUT");
  assert.equal(excuseOf(stuck, witnesses({ faults: [stopped(12_500)] })), "STUCK_JOB_TIMEOUT");
  assert.equal(excuseOf(stuck, witnesses({ faults: [stopped(12_499)] })), null, "its worker was there again");
  assert.equal(excuseOf(stuck, witnesses()), null, "its worker was there, and was told of it");
  assert.equal(excuseOf(stuck, witnesses({ unanswered: [{ from: 1, to: 200 }] })), null, "it was another poll");
  assert.equal(excuseOf(stuck, witnesses({ unanswered: [{ from: -100, to: -1 }] })), null, "it was another poll");
  assert.equal(excuseOf(stuck, witnesses({ unanswered, began: ["a 1"] })), null, "somebody began it");
  const early = failed("task.timed_out", 14_999, "STUCK_JOB_TIMEOUT");
  const faults = [stopped(15_000)];
  assert.equal(excuseOf(early, witnesses({ unanswered, faults })), null, "it was not held for as long");
});

test("no other reason excuses a block, nor a word of the worker's own", () => {
  const faults = [fault("kill a worker", 1, 1, { member })];
  const unanswered = [{ from: -100, to: 200 }];
  const judge = (type: EventType, code: string) =>
    excuseOf(failed(type, 20_000, code), witnesses({ faults, unanswered }));
  assert.equal(judge("task.lost", "WORKER_OFFLINE"), "WORKER_OFFLINE");
  assert.equal(judge("task.failed", "WORKER_OFFLINE"), null);
  assert.equal(judge("task.failed", "NO_LUCK"), null);
  assert.equal(judge("task.lost", "WORKER_DELETED"), null, "nobody deletes workers");
  assert.equal(judge("task.lost", "lease_expired"), null);
  assert.equal(judge("task.timed_out", "JobTimeout"), null);
});
