import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ending } from "../../core/internal-job.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { crew } from "./crew.ts";
import { executorWords } from "./executor-words.ts";
import { lookingAfter } from "./looking-after.ts";
import { holdOf, type Out, outgoing } from "./outgoing.ts";

const silent = { warn() {}, debug() {} };
const reports = { started: async () => true, progressed() {}, logged() {}, ended() {}, placed() {} };
const about = { task: "t", attempt: 1, worker: "w", job: "@internal:modifiers:Wait", room: "lab" };
const assignment = { ...about, payload: "{}", checkpoint: null };

/** A clock that can be slept through: what would have rung meanwhile rings at the end, late. */
function sleeperClock() {
  const clock = manualClock();
  let missed: (() => void)[] | null = null;
  return {
    ...clock,
    alarm: (at: number, ring: () => void) => clock.alarm(at, () => (missed === null ? ring() : missed.push(ring))),
    sleep(ms: number): void {
      missed = [];
      clock.advance(ms);
      const late = missed;
      missed = null;
      for (const ring of late) ring();
    },
  };
}

function scene() {
  const clock = sleeperClock();
  const [executors, outs, upAt] = [crew(clock, 5_000), outgoing(), clock.now()];
  const ends: Ending[] = [];
  const finish = (out: Out, ending: Ending): void => void (outs.drop(out) && ends.push(ending));
  const send = async (): Promise<void> => {};
  const words = executorWords({ clock, reports, crew: executors, outs, server: "s", send, finish });
  const wire = { upSince: () => upAt, depth: async () => 0 };
  const acts = { put: async () => true, abort() {}, finish };
  const { stop } = lookingAfter({ clock, log: silent, wire, executors, outs, version: "v", reports, ...acts });
  outs.add(assignment, clock.now());
  words({ type: "asked", executor: "e", hold: holdOf(assignment) });
  /** So many seconds, in each of which the executor says that it lives, and what it has. */
  async function pass(seconds: number, holds: readonly (typeof assignment)[] | null): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      words({ type: "alive", executor: "e", version: "v", places: 1 });
      if (holds !== null) words({ type: "holding", executor: "e", holds: holds.map(holdOf) });
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
  }
  return { ends, outs, pass, stop, clock };
}

for (const seconds of [7, 60]) {
  test(`a server that pauses for ${seconds} seconds holds the silence against nobody`, async () => {
    const { ends, outs, pass, stop, clock } = scene();
    await pass(3, [assignment]);
    clock.sleep(seconds * 1_000);
    await new Promise(setImmediate);
    await pass(30, [assignment]);
    assert.deepEqual([ends, outs.size()], [[], 1]);
    stop();
  });
}

test("an executor that is gone after a pause of the server is found a window later", async () => {
  const { ends, pass, stop, clock } = scene();
  await pass(3, [assignment]);
  clock.sleep(7_000);
  clock.advance(4_000);
  assert.deepEqual(ends, []);
  for (let second = 0; second < 3; second += 1) {
    await new Promise(setImmediate);
    clock.advance(1_000);
  }
  assert.deepEqual(ends, [{ type: "lost" }]);
  stop();
});

test("what an executor runs is waited for as long as it says that it has it", async () => {
  const { ends, outs, pass, stop } = scene();
  await pass(100, [assignment]);
  assert.deepEqual([ends, outs.size()], [[], 1]);
  stop();
});

test("what an executor that lives has given up is lost, and its place free", async () => {
  const { ends, outs, pass, stop } = scene();
  await pass(3, [assignment]);
  await pass(30, null);
  assert.deepEqual([ends, outs.size()], [[{ type: "lost" }], 0]);
  stop();
});
