import assert from "node:assert/strict";
import { test } from "node:test";
import { aRow, workerId } from "../testing/builders.ts";
import { dueAt, extension, judge, patienceWith, policyDueMs, profileDueMs, takeDueMs } from "./deadline.ts";
import { defaultProfiles, type Profile } from "./liveness.ts";
import type { Policy } from "./policy.ts";
import { Problem } from "./problem.ts";
import type { TaskRow } from "./task-row.ts";

const { rest, fleet, work, amqp, push } = defaultProfiles;
const at = 1_000_000;
const claimed = aRow({ state: "claimed", worker: workerId(1), claimedAt: at, activeAt: at });
const running = { ...claimed, state: "running", startedAt: at } as const;
const children = { total: 1, done: 0, failed: 0, patience: null };
const deferred = { ...running, worker: null, children };

const heard = (now: number, childActiveAt: number | null = null, since = 0, awayUntil = since) => {
  return { now, childActiveAt, since, awayUntil, unheardMs: () => 0 };
};

const found = (task: TaskRow, policy: Policy, now: number, childActiveAt: number | null = null) => {
  const judgement = judge(task, policy, null, heard(now, childActiveAt));
  if ("lookAgainAt" in judgement) return judgement.lookAgainAt;
  const { move } = judgement;
  return move.type === "timeout" ? `timeout ${move.error.code}` : move.type;
};

test("a task without rules has no deadline", () => {
  for (const task of [aRow(), claimed, running, deferred]) assert.equal(dueAt(task, {}, null), null);
  assert.equal(dueAt(claimed, {}, work), null);
});

test("a claim must start within its time; a running task need not", () => {
  assert.equal(dueAt(claimed, {}, rest), at + 300_000);
  assert.equal(dueAt(claimed, { startWithinMs: 50 }, rest), at + 50, "the task's word goes first");
  assert.equal(dueAt(running, { startWithinMs: 50 }, rest), null);
  assert.equal(found(claimed, { startWithinMs: 50 }, at + 49), at + 50);
  assert.equal(found(claimed, { startWithinMs: 50 }, at + 50), "release");
});

test("a profile may count from a task's last sign of life instead of its claim", () => {
  const patient: Profile = { ...fleet, stuckBasis: "lastProgressAt" };
  const speaking = { ...running, activeAt: at + 700_000 };
  assert.equal(dueAt(speaking, {}, patient), at + 700_000 + 720_000);
  assert.deepEqual(judge(speaking, {}, patient, heard(at + 1_419_999)), { lookAgainAt: at + 1_420_000 });
  assert.ok("move" in judge(speaking, {}, patient, heard(at + 1_420_000)));
  assert.ok("move" in judge(speaking, {}, fleet, heard(at + 720_000)));
});

test("a task held too long is stuck, however much it speaks, but not while it is in nobody's hands", () => {
  assert.equal(dueAt(running, {}, fleet), at + 720_000);
  assert.equal(dueAt(deferred, {}, fleet), null);
  assert.equal(found({ ...running, activeAt: at + 99 }, { stuckTaskMs: 100 }, at + 99), at + 100);
  assert.equal(found({ ...running, activeAt: at + 99 }, { stuckTaskMs: 100 }, at + 100), "timeout STUCK_JOB_TIMEOUT");
  assert.equal(found(claimed, { stuckTaskMs: 100 }, at + 100), "timeout STUCK_JOB_TIMEOUT");
  assert.equal(found(deferred, { stuckTaskMs: 100 }, at + 100), null);
});

test("what the server's own executors hold for an hour is theirs no longer, in the contract's own words", () => {
  const { internal } = defaultProfiles;
  assert.equal(dueAt(running, {}, internal), at + 3_600_000);
  assert.deepEqual(judge(claimed, {}, internal, heard(at + 3_600_000)), {
    move: {
      type: "timeout",
      error: { message: "Internal worker timeout", code: "INTERNAL_WORKER_TIMEOUT", details: null },
    },
  });
});

test("a task times out when it ran too long and has been silent too", () => {
  const policy = { timeoutMs: 100, stallMs: 30 };
  assert.equal(found(running, policy, at + 99), at + 100);
  assert.equal(found(running, policy, at + 100), "timeout JobTimeout");
  const speaking = { ...running, activeAt: at + 90 };
  assert.equal(found(speaking, policy, at + 119), at + 120, "it spoke not long ago");
  assert.equal(found(speaking, policy, at + 120), "timeout JobTimeout");
  assert.equal(found(claimed, policy, at + 1e6), null, "what has not started cannot run too long");
});

test("a child's sign of life counts for its parent", () => {
  const waiting = { ...deferred, children: { ...children, patience: { timeoutMs: 100, stallMs: 30 } } };
  assert.equal(found(waiting, {}, at + 100, at + 95), at + 125);
  assert.equal(found(waiting, {}, at + 125, at + 95), "timeout JobTimeout");
  assert.equal(found(waiting, {}, at + 100, at - 500), "timeout JobTimeout", "an older one takes nothing away");
});

test("a task keeps the timeout of its policy, then of its holder's profile, when it defers", () => {
  assert.deepEqual(patienceWith({}, amqp), { timeoutMs: amqp.timeoutMs, stallMs: amqp.stallMs });
  assert.deepEqual(patienceWith({ stallMs: 7 }, amqp), { timeoutMs: amqp.timeoutMs, stallMs: 7 });
  assert.deepEqual(patienceWith({ timeoutMs: 5 }, null), { timeoutMs: 5, stallMs: 0 });
  assert.deepEqual([patienceWith({ stallMs: 7 }, work), patienceWith({}, null)], [null, null]);
});

test("a lease of the task's own ends at its time", () => {
  const leased = { ...running, leasedUntil: at + 70 };
  assert.equal(dueAt(leased, { timeoutMs: 100 }, null), at + 70);
  assert.equal(found(leased, {}, at + 69), at + 70);
  assert.equal(found(leased, {}, at + 70), "expire");
});

test("a task whose lease ended is left alone while its last event is younger than the profile's grace", () => {
  const leased = { ...running, leasedUntil: at + 120_000, activeAt: at + 100_000 };
  const graceful = { ...amqp, eventGraceMs: 30_000 };
  assert.deepEqual(judge(leased, {}, graceful, heard(at + 129_999)), { lookAgainAt: at + 130_000 });
  assert.ok("move" in judge(leased, {}, graceful, heard(at + 130_000)));
  assert.ok("move" in judge(leased, {}, amqp, heard(at + 120_000)));
});

test("an extended lease never ends earlier than it did, and the next look is never later than its end", () => {
  const leased = { ...running, leasedUntil: at + 70, dueAt: at + 70 };
  const extended = (leaseMs: number, policy: Policy = {}, profile: Profile | null = work) =>
    extension(leased, leaseMs, { now: at + 50, policy, profile });
  assert.deepEqual(extended(100), { leasedUntil: at + 150, dueAt: at + 150 });
  assert.deepEqual(extended(10), { leasedUntil: at + 70, dueAt: at + 70 });
  assert.deepEqual(extended(100, { timeoutMs: 90 }), { leasedUntil: at + 150, dueAt: at + 90 });
  assert.deepEqual(extended(100, {}, null), { leasedUntil: at + 150, dueAt: at + 70 }, "its holder is not known here");
});

test("a task that lives by its worker's beats has no lease to extend", () => {
  assert.throws(
    () => extension(running, 100, { now: at, policy: {}, profile: work }),
    (error: unknown) => error instanceof Problem && error.code === "invalid-task-transition",
  );
});

test("of several things that are due, one that was held too long comes first, and a lease before silence", () => {
  const late = { ...running, leasedUntil: at + 10 };
  assert.equal(found(late, { stuckTaskMs: 10, timeoutMs: 10 }, at + 10), "timeout STUCK_JOB_TIMEOUT");
  assert.equal(found(late, { timeoutMs: 10 }, at + 10), "expire");
  assert.equal(found({ ...claimed, leasedUntil: at + 10 }, { startWithinMs: 10 }, at + 10), "expire");
});

test("while nobody could hear it, silence proves nothing: leases and stalled tasks have their whole time once more", () => {
  const since = at + 10_000_000;
  const later = (task: TaskRow, policy: Policy, ms: number) => {
    const judgement = judge(task, policy, amqp, heard(since + ms, null, since));
    return "move" in judgement ? judgement.move.type : judgement.lookAgainAt;
  };
  const leased = { ...running, leasedUntil: at + 120_000 };
  assert.equal(later(leased, {}, 0), since + 120_000);
  assert.equal(later(leased, {}, 119_999), since + 120_000);
  assert.equal(later(leased, {}, 120_000), "expire");
  const policy = { timeoutMs: 100, stallMs: 130_000 };
  assert.equal(later(running, policy, 129_999), since + 130_000);
  assert.equal(later(running, policy, 130_000), "timeout");
  assert.equal(later(claimed, { startWithinMs: 50 }, 49), since + 50);
  assert.equal(later(claimed, { startWithinMs: 50 }, 50), "release");
});

test("after a moment in which it was not heard, a silent task has as long again, and not its whole time", () => {
  const since = at + 10_000_000;
  const later = (task: TaskRow, policy: Policy, ms: number) => {
    const profile = task.worker === null ? null : amqp;
    const judgement = judge(task, policy, profile, heard(since + ms, null, since, at));
    return "move" in judgement ? judgement.move.type : judgement.lookAgainAt;
  };
  const patience = { timeoutMs: 100, stallMs: 1_800_000 };
  const waiting = { ...deferred, children: { ...children, patience } };
  assert.equal(later(waiting, {}, 0), since + 30_000);
  assert.equal(later(waiting, {}, 30_000), "timeout");
  assert.equal(later(running, patience, 119_999), since + 120_000, "who is held has the window to tell");
  const spoke = { ...waiting, activeAt: since - 1_000 };
  assert.equal(later(spoke, {}, 40_000), spoke.activeAt + 1_800_000);
  const hasty = { ...waiting, children: { ...children, patience: { ...patience, stallMs: 5_000 } } };
  assert.equal(later(hasty, {}, 4_999), since + 5_000);
});

test("who had done it in time, while nobody could hear it, has a window to tell before it fails for its time alone", () => {
  const since = at + 10_000_000;
  const later = (policy: Policy, ms: number, profile: Profile) => {
    const judgement = judge(running, policy, profile, heard(since + ms, null, since));
    return "move" in judgement ? judgement.move.type : judgement.lookAgainAt;
  };
  assert.equal(later({}, 119_999, fleet), since + 120_000, "which is until it would be unreachable");
  assert.equal(later({}, 120_000, fleet), "timeout");
  assert.equal(later({ timeoutMs: 100 }, 4_999, work), since + 5_000);
  assert.equal(later({ timeoutMs: 100 }, 5_000, work), "timeout");
  assert.equal(later({ timeoutMs: 100 }, 15_000, push), "timeout", "by the lease of its own where a task has one");
  const fresh = { ...running, claimedAt: since, startedAt: since };
  const soon = judge(fresh, { timeoutMs: 100 }, work, heard(since + 100, null, since));
  assert.ok("move" in soon, "whoever took it since could be heard all the time");
});

test("time in which nobody listened is no silence, and whoever had done it in time can tell so", () => {
  // Nobody listened for the last 20 seconds before this, and who was not answered tries again within 5.
  const until = at + 1_000_000;
  const unheardMs = (from: number): number => (from >= until ? 0 : Math.min(20_000, until - from) + 5_000);
  const later = (task: TaskRow, policy: Policy, ms: number, profile: Profile | null = amqp) => {
    const judgement = judge(task, policy, profile, { ...heard(until + ms), unheardMs });
    return "move" in judgement ? judgement.move.type : judgement.lookAgainAt;
  };
  const leased = { ...running, leasedUntil: until + 1_000 };
  assert.equal(later(leased, {}, 25_999), until + 26_000);
  assert.equal(later(leased, {}, 26_000), "expire");
  const silent = { ...running, activeAt: until - 99_000 };
  assert.equal(later(silent, { timeoutMs: 100, stallMs: 100_000 }, 25_999), until + 26_000);
  assert.equal(later(silent, { timeoutMs: 100, stallMs: 100_000 }, 26_000), "timeout");
  assert.equal(later({ ...claimed, claimedAt: until - 99_000 }, { startWithinMs: 100_000 }, 25_999), until + 26_000);
  for (const early of [20_000, 8_000, 0, -4_000]) {
    const timeoutMs = until - early - at;
    assert.equal(later(running, { timeoutMs }, 4_999, null), until + 5_000, `${early} ms before`);
    assert.equal(later(running, { timeoutMs }, 5_000, null), "timeout");
  }
  assert.equal(later(running, { timeoutMs: until - at - 600_000 }, 0, null), "timeout", "long before, it was heard");
});

test("the first look after a taking is the earliest of what the task and the door say", () => {
  assert.equal(policyDueMs({}), null);
  assert.equal(policyDueMs({ timeoutMs: 3, stuckTaskMs: 2, startWithinMs: 1 }), 1);
  assert.equal(policyDueMs({ timeoutMs: 3 }), 3);
  assert.equal(policyDueMs({ stallMs: 1 }), null);
  assert.deepEqual([profileDueMs(null, true), profileDueMs(work, true), profileDueMs(rest, true)], [null, null, null]);
  assert.equal(profileDueMs(rest, false), 300_000);
  assert.deepEqual([profileDueMs(fleet, true), profileDueMs(fleet, false)], [720_000, 720_000]);
  assert.equal(profileDueMs(amqp, true), 120_000);
  assert.equal(takeDueMs({ timeoutMs: 5 }, amqp, true), 5);
  assert.equal(takeDueMs({ timeoutMs: 9e9 }, amqp, true), 120_000);
  assert.equal(takeDueMs({}, null, true), null);
});

test("the first look is never later than the first deadline", () => {
  const policies: Policy[] = [{}, { timeoutMs: 50 }, { stuckTaskMs: 40, timeoutMs: 9e9 }, { startWithinMs: 30 }];
  for (const profile of [rest, fleet, work, amqp]) {
    for (const policy of policies) {
      for (const task of [claimed, running]) {
        const leasedUntil = profile.ownLeaseMs === null ? null : at + profile.ownLeaseMs;
        const exact = dueAt({ ...task, leasedUntil }, policy, profile);
        const first = takeDueMs(policy, profile, task.state === "running");
        if (exact !== null) assert(first !== null && at + first <= exact);
      }
    }
  }
});
