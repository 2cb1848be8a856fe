import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { manualClock } from "../../testing/manual-clock.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { ServerProblem, ServerUnreachable } from "../problem.ts";
import type { WorkerLog } from "../worker/options.ts";
import { LEASE_EXPIRED_FAILED_EVENT, LEASE_REQUEUE_EVENT, StaleJobReaper } from "./stale-job-reaper.ts";

test("“The reaper runs every 60 seconds”, survives a pass that fails, and ends when it is told to", async () => {
  const clock = manualClock();
  const log = recordedLog();
  let passes = 0;
  const reaper = new StaleJobReaper({
    log: log as WorkerLog,
    alarm: (ms, ring) => clock.alarm(clock.now() + ms, ring),
    async pass() {
      passes += 1;
      if (passes === 1) throw new Error("no database");
      return { due: 1 };
    },
  });
  const running = reaper.run();
  assert.equal(reaper.run(), running, "there is one loop");
  await turn();
  assert.equal(passes, 1);
  clock.advance(59_999);
  await turn();
  assert.equal(passes, 1);
  clock.advance(1);
  await turn();
  assert.equal(passes, 2);
  await reaper.stop();
  await running;
  clock.advance(600_000);
  await turn();
  assert.equal(passes, 2);
  assert.equal(clock.nextAt(), null);
});

test("“LEASE_REQUEUE_EVENT” and “LEASE_EXPIRED_FAILED_EVENT” are the document's names", () => {
  assert.equal(LEASE_REQUEUE_EVENT, "job.lease_expired_requeue");
  assert.equal(LEASE_EXPIRED_FAILED_EVENT, "job.lease_expired");
});

test("a token is judged by the first pass that the server answers", async () => {
  const clock = manualClock();
  const refusal = new ServerProblem({ type: "forbidden", title: "Forbidden", status: 403 });
  const passes = [new ServerUnreachable("starting"), refusal];
  const reaper = new StaleJobReaper({
    ...{ log: null, alarm: (ms, ring) => clock.alarm(clock.now() + ms, ring) },
    pass: () => Promise.reject(passes.shift()),
  });
  const running = reaper.run();
  await turn();
  clock.advance(60_000);
  await assert.rejects(running, refusal);
});

test("a pass that the server does not answer does not keep a reaper that is told to stop", async () => {
  const log = recordedLog();
  const reaper = new StaleJobReaper({
    log: log as WorkerLog,
    pass: (stopped) => new Promise((_, reject) => stopped.addEventListener("abort", () => reject(stopped.reason))),
  });
  const running = reaper.run();
  await reaper.stop();
  await running;
  assert.deepEqual(log.lines, []);
});

test("a token that the first pass is refused for ends the reaper with it; later refusals it survives", async () => {
  const refusal = new ServerProblem({ type: "forbidden", title: "Forbidden", status: 403 });
  const hopeless = new StaleJobReaper({ log: null, pass: () => Promise.reject(refusal) });
  await assert.rejects(hopeless.run(), refusal);
  await hopeless.stop();

  const clock = manualClock();
  const passed: (() => Promise<Readonly<Record<string, number>>>)[] = [
    () => Promise.resolve({}),
    () => Promise.reject(refusal),
  ];
  const reaper = new StaleJobReaper({
    log: null,
    alarm: (ms, ring) => clock.alarm(clock.now() + ms, ring),
    pass: async () => passed.shift()?.() ?? {},
  });
  const running = reaper.run();
  for (let pass = 1; pass <= 2; pass += 1) {
    await turn();
    clock.advance(60_000);
  }
  await turn();
  assert.notEqual(clock.nextAt(), null, "the next pass comes");
  await reaper.stop();
  await running;
});
