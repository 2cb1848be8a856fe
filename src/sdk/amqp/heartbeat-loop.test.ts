import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { manualClock } from "../../testing/manual-clock.ts";
import { HeartbeatLoop } from "./heartbeat-loop.ts";

function aLoop(extend?: (id: string) => unknown) {
  const clock = manualClock();
  const beaten: string[] = [];
  const errors: unknown[] = [];
  const loop = new HeartbeatLoop(extend ?? ((id) => beaten.push(id)), {
    intervalMs: 30_000,
    onError: (error) => errors.push(error),
    alarm: (ms, ring) => clock.alarm(clock.now() + ms, ring),
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await turn();
  };
  return { loop, clock, beaten, errors, pass };
}

test("“Begin extending the lease for job_id every interval seconds”, for the first time after one interval", async () => {
  const { loop, beaten, pass } = aLoop();
  loop.start("one");
  await pass(29_999);
  assert.deepEqual(beaten, []);
  await pass(1);
  assert.deepEqual(beaten, ["one"]);
  await pass(30_000);
  assert.deepEqual(beaten, ["one", "one"]);
});

test("“a second start without an intervening stop is a no-op”", async () => {
  const { loop, beaten, pass } = aLoop();
  loop.start("one");
  loop.start("two");
  await pass(30_000);
  assert.deepEqual(beaten, ["one"]);
  await loop.stop();
  loop.start("two");
  await pass(30_000);
  assert.deepEqual(beaten, ["one", "two"]);
});

test("after stop nothing is extended", async () => {
  const { loop, beaten, clock, pass } = aLoop();
  loop.start("one");
  await loop.stop();
  await loop.stop();
  await pass(120_000);
  assert.deepEqual(beaten, []);
  assert.equal(clock.nextAt(), null);
});

test("an error in extend_lease does not end the loop", async () => {
  let calls = 0;
  const { loop, errors, pass } = aLoop(() => {
    calls += 1;
    throw new Error("no database");
  });
  loop.start("one");
  await pass(30_000);
  await pass(30_000);
  assert.equal(calls, 2);
  assert.equal(errors.length, 2);
});

test("“Signal the heartbeat thread to exit and wait briefly for it”: not longer than an interval and a second", async () => {
  const { loop, clock, pass } = aLoop(() => new Promise(() => {}));
  loop.start("one");
  await pass(30_000);
  let isStopped = false;
  const stopping = loop.stop().then(() => (isStopped = true));
  await pass(30_999);
  assert.equal(isStopped, false);
  await pass(1);
  await stopping;
  assert.equal(isStopped, true);
  assert.equal(clock.nextAt(), null);
});

test("an interval is never shorter than a second", async () => {
  const clock = manualClock();
  let beats = 0;
  const loop = new HeartbeatLoop(() => (beats += 1), {
    intervalMs: 10,
    alarm: (ms, ring) => clock.alarm(clock.now() + ms, ring),
  });
  loop.start("one");
  clock.advance(999);
  assert.equal(beats, 0);
  clock.advance(1);
  assert.equal(beats, 1);
  await loop.stop();
});

test("a beat that ends late does not go on beside those of the next task", async () => {
  const beaten: string[] = [];
  let end: () => void = () => {};
  const { loop, clock, pass } = aLoop((id) => {
    beaten.push(id);
    return beaten.length === 1 ? new Promise<void>((resolve) => (end = resolve)) : undefined;
  });
  loop.start("one");
  await pass(30_000);
  const stopping = loop.stop();
  await pass(31_000);
  await stopping;
  loop.start("two");
  end();
  await pass(30_000);
  await pass(30_000);
  assert.deepEqual(beaten, ["one", "two", "two"]);
  await loop.stop();
  assert.equal(clock.nextAt(), null);
});
