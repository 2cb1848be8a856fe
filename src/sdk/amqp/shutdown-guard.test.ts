import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { manualClock } from "../../testing/manual-clock.ts";
import { ShutdownGuard, type ShutdownGuardOptions } from "./shutdown-guard.ts";

function aGuard(options: ShutdownGuardOptions = {}) {
  const clock = manualClock();
  const said: string[] = [];
  const guard = new ShutdownGuard((id, why) => said.push(`fail ${id} ${why.name}`), {
    graceMs: 30_000,
    exit: (code) => said.push(`exit ${code}`),
    alarm: (ms, ring) => clock.alarm(clock.now() + ms, ring),
    ...options,
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await turn();
  };
  return { guard, said, pass, clock };
}

test("“if the job has not finished within grace_seconds the timer fires, marks the job FAILED with error_code=WorkerShutdown … and exits the process with os._exit(143)”", async () => {
  const { guard, said, pass } = aGuard();
  guard.track("one");
  assert.equal(guard.currentJobId, "one");
  guard.arm("one");
  await pass(29_999);
  assert.deepEqual(said, []);
  await pass(1);
  assert.deepEqual(said, ["fail one WorkerShutdown", "exit 143"]);
});

test("“a second SIGTERM during shutdown does not arm a second timer”", async () => {
  const { guard, said, pass } = aGuard();
  guard.track("one");
  guard.arm("one");
  const { timer } = guard;
  await pass(10_000);
  guard.arm("one");
  assert.equal(guard.timer, timer);
  await pass(20_000);
  assert.deepEqual(said, ["fail one WorkerShutdown", "exit 143"]);
  await pass(60_000);
  assert.equal(said.length, 2);
});

test("“If the callback finishes naturally before the timer fires, cancel() releases the watchdog”, and is “safe to call repeatedly”", async () => {
  const { guard, said, pass, clock } = aGuard();
  guard.track("one");
  guard.arm("one");
  guard.untrack();
  guard.cancel();
  guard.cancel();
  assert.equal(guard.timer, null);
  assert.equal(guard.currentJobId, null);
  assert.equal(clock.nextAt(), null);
  await pass(60_000);
  assert.deepEqual(said, []);
});

test("“property current_job_id: UUID | None” and “property timer: Timer | None” say what runs, and whether its time is counted", () => {
  const { guard } = aGuard();
  assert.deepEqual([guard.currentJobId, guard.timer], [null, null]);
  guard.track("one");
  assert.deepEqual([guard.currentJobId, guard.timer], ["one", null]);
  guard.arm("one");
  assert.equal(typeof guard.timer, "function");
  guard.cancel();
  guard.untrack();
  assert.deepEqual([guard.currentJobId, guard.timer], [null, null]);
});

test("a timer that fires for a job which is no longer tracked does nothing", async () => {
  const { guard, said, pass } = aGuard();
  guard.track("one");
  guard.arm("one");
  guard.untrack();
  await pass(30_000);
  assert.deepEqual(said, []);
  const other = aGuard();
  other.guard.track("one");
  other.guard.arm("one");
  other.guard.track("two");
  await other.pass(30_000);
  assert.deepEqual(other.said, []);
});

test("“the watchdog tries it before falling back to force_fail”, and “the caller is expected to republish”", async () => {
  const said: string[] = [];
  const { guard, pass } = aGuard({
    requeue: async (id) => said.push(`requeue ${id}`) > 0,
    onRequeue: (id) => said.push(`republish ${id}`),
    exit: (code) => said.push(`exit ${code}`),
  });
  guard.track("one");
  guard.arm("one");
  await pass(30_000);
  assert.deepEqual(said, ["requeue one", "republish one", "exit 143"]);
});

test("“force_fail remains the safety net for rows that no longer match (already terminal) or sessions that cannot commit”", async () => {
  const refusals: NonNullable<ShutdownGuardOptions["requeue"]>[] = [
    () => false,
    () => {
      throw new Error("no database");
    },
  ];
  for (const requeue of refusals) {
    const { guard, said, pass } = aGuard({ requeue });
    guard.track("one");
    guard.arm("one");
    await pass(30_000);
    assert.deepEqual(said, ["fail one WorkerShutdown", "exit 143"]);
  }
});

test("the program ends also where neither can be written, and where the republish fails", async () => {
  const errors: unknown[] = [];
  const { guard, said, pass } = aGuard({
    requeue: () => true,
    onRequeue: () => Promise.reject(new Error("no broker")),
    onError: (error) => errors.push(error),
  });
  guard.track("one");
  guard.arm("one");
  await pass(30_000);
  assert.deepEqual(said, ["exit 143"]);
  assert.equal(errors.length, 1);
});

const never = (): Promise<never> => new Promise(() => {});

test("the program ends although nobody answers: each thing that is tried has five seconds", async () => {
  const errors: string[] = [];
  const onError = (error: unknown): void => void errors.push((error as Error).message);
  const { guard, said, pass } = aGuard({ requeue: never, onError });
  guard.track("one");
  guard.arm("one");
  await pass(30_000);
  assert.deepEqual(said, []);
  await pass(5_000);
  assert.deepEqual(said, ["fail one WorkerShutdown", "exit 143"]);
  assert.deepEqual(errors, ["requeue has not answered within 5000 ms"]);

  const republishing = aGuard({ requeue: () => true, onRequeue: never });
  republishing.guard.track("one");
  republishing.guard.arm("one");
  await republishing.pass(30_000);
  await republishing.pass(5_000);
  assert.deepEqual(republishing.said, ["exit 143"]);

  const exits: number[] = [];
  const clock = manualClock();
  const alarm = (ms: number, ring: () => void) => clock.alarm(clock.now() + ms, ring);
  const failing = new ShutdownGuard(never, { requeue: never, alarm, exit: (code) => exits.push(code) });
  failing.track("one");
  failing.arm("one");
  for (const ms of [30_000, 5_000, 5_000]) {
    assert.deepEqual(exits, []);
    clock.advance(ms);
    await turn();
  }
  assert.deepEqual(exits, [143]);
  assert.equal(clock.nextAt(), null);
});
