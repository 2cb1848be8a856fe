import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../testing/manual-clock.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { settled, silentTelemetry } from "../testing/world.ts";
import { defaultSettings, type Surroundings } from "./surroundings.ts";
import type { SweepStep } from "./sweep-steps.ts";
import { sweeper } from "./sweeper.ts";

const { sweepMs } = defaultSettings;

/** A sweeper of these steps, which note when they run, in seconds, and may do more than that. */
function scene(steps: { readonly [name: string]: { everyMs?: number; does?: () => Promise<void> } }) {
  const clock = manualClock();
  const startedAt = clock.now();
  const ran: string[] = [];
  const noted = Object.entries(steps).map(([name, { everyMs = 0, does }]): SweepStep => {
    const run = async (now: number): Promise<number> => {
      ran.push(`${name}@${(now - startedAt) / 1_000}`);
      await does?.();
      return 1;
    };
    return { name, everyMs, run };
  });
  const around = { clock, log: recordedLog(), telemetry: silentTelemetry, settings: defaultSettings };
  const swept = sweeper(around as unknown as Surroundings, noted);
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 250) {
      clock.advance(Math.min(250, left));
      await settled(5);
    }
  };
  return { clock, ran, sweeper: swept, pass, log: around.log };
}

test("a server whose lease ends while a step takes its time begins no further step", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, ran, sweeper, pass } = scene({ first: { does: () => gate.promise }, second: {} });
  sweeper.lead(clock.now() + 5_000);
  sweeper.wakeAt(clock.now() + 1_000);
  await pass(5_000);
  gate.resolve();
  await settled(5);
  assert.deepEqual(ran, ["first@1"]);
});

test("a server that hears of another leader begins no further step", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, ran, sweeper, pass } = scene({ first: { does: () => gate.promise }, second: {} });
  sweeper.lead(clock.now() + 5_000);
  sweeper.wakeAt(clock.now() + 1_000);
  await pass(1_000);
  sweeper.lead(null);
  gate.resolve();
  await settled(5);
  assert.deepEqual(ran, ["first@1"]);
});

test("a lease that ended by the clock is no leadership, though nobody said so", async () => {
  const { clock, ran, sweeper, pass } = scene({ step: {} });
  sweeper.lead(clock.now() + 5_000);
  sweeper.wakeAt(clock.now() + 5_000);
  await pass(6_000);
  sweeper.wakeAt(clock.now());
  await pass(1_000);
  assert.deepEqual(ran, []);
});

test("a silence that was expected wakes the sweeper, and one that was put off does not", async () => {
  const { clock, ran, sweeper, pass } = scene({ step: {} });
  sweeper.expectSilence(clock.now() + 500);
  sweeper.lead(Number.POSITIVE_INFINITY);
  for (let second = 0; second < 5; second += 1) {
    sweeper.expectSilence(clock.now() + 2_000);
    await pass(1_000);
  }
  assert.deepEqual(ran, []);
  await pass(1_000);
  assert.deepEqual(ran.splice(0), ["step@6"]);
  sweeper.expectSilence(clock.now() + 500);
  sweeper.expectSilence(null);
  await pass(1_000);
  assert.deepEqual(ran, []);
});

test("a step that fails keeps no other from its work, and is repeated with the nets a second later", async () => {
  let failures = 1;
  const failing = async (): Promise<void> => {
    failures -= 1;
    if (failures >= 0) throw new Error("a hiccup");
  };
  const { clock, ran, sweeper, pass, log } = scene({ step: { does: failing }, later: {}, net: { everyMs: sweepMs } });
  sweeper.lead(Number.POSITIVE_INFINITY);
  sweeper.wakeAt(clock.now() + 1_000);
  await pass(2_500);
  assert.deepEqual(ran, ["step@1", "later@1", "net@1", "step@2", "later@2", "net@2"]);
  assert.equal(log.lines.filter(({ level }) => level === "warn").length, 1);
});

test("a pass by hand tells of the step that failed, after all have had their turn", async () => {
  const failing = (): Promise<void> => Promise.reject(new Error("a hiccup"));
  const { ran, sweeper } = scene({ step: { does: failing }, later: {} });
  await assert.rejects(sweeper.tick(), /a hiccup/);
  assert.deepEqual(ran, ["step@0", "later@0"]);
});

test("the nets look once more after what happened, even if a deadline woke them before", async () => {
  const { clock, ran, sweeper, pass } = scene({ net: { everyMs: sweepMs } });
  sweeper.lead(Number.POSITIVE_INFINITY);
  await pass(40_000);
  assert.deepEqual(ran.splice(0), ["net@30"], "the former leader may have left something");
  await pass(30_000);
  sweeper.watch();
  sweeper.wakeAt(clock.now() + 1_000);
  await pass(120_000);
  assert.deepEqual(ran, ["net@71", "net@101"]);
});

test("nets that had not rested when they were wanted look when they have", async () => {
  const { clock, ran, sweeper, pass } = scene({ net: { everyMs: 2 * sweepMs } });
  sweeper.lead(Number.POSITIVE_INFINITY);
  await pass(31_000);
  sweeper.watch();
  sweeper.wakeAt(clock.now() + 1_000);
  await pass(120_000);
  assert.deepEqual(ran, ["net@30", "net@90"]);
});

test("what the passes have done is added up by step, of those that failed too", async () => {
  const { clock, sweeper } = scene({
    first: {},
    second: { does: () => (clock.now() > startedAt ? Promise.reject(new Error("away")) : Promise.resolve()) },
  });
  const startedAt = clock.now();
  assert.deepEqual(sweeper.record(), { leader: false, lastAt: null, lastMs: null, runs: 0, moved: {} });
  await sweeper.tick();
  clock.advance(1_000);
  await assert.rejects(sweeper.tick(), /away/);
  sweeper.lead(clock.now() + 5_000);
  const moved = { first: 2, second: 1 };
  assert.deepEqual(sweeper.record(), { leader: true, lastAt: startedAt + 1_000, lastMs: 0, runs: 2, moved });
});

test("what is due waits for no net that takes its time, and the net looks once more at what was wanted meanwhile", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, ran, sweeper, pass } = scene({ due: {}, net: { everyMs: sweepMs, does: () => gate.promise } });
  sweeper.lead(Number.POSITIVE_INFINITY);
  sweeper.wakeAt(clock.now() + 1_000);
  await pass(2_000);
  sweeper.wakeAt(clock.now() + 1_000);
  await pass(2_000);
  assert.deepEqual(ran.splice(0), ["due@1", "net@1", "due@3"]);
  gate.resolve();
  await pass(40_000);
  assert.deepEqual(
    ran.filter((step) => step.startsWith("net")),
    ["net@31"],
    "whoever led before may have left something",
  );
});

test("what is wanted while somebody asked for a sweep is looked at after it", async () => {
  const gate = Promise.withResolvers<void>();
  let isSlow = false;
  const does = () => (isSlow ? gate.promise : Promise.resolve());
  const { ran, sweeper, pass } = scene({ net: { everyMs: sweepMs, does } });
  sweeper.lead(Number.POSITIVE_INFINITY);
  await pass(3 * sweepMs);
  isSlow = true;
  const asked = sweeper.tick();
  sweeper.watch();
  await pass(sweepMs + 1_000);
  isSlow = false;
  gate.resolve();
  await asked;
  ran.splice(0);
  await pass(10 * sweepMs);
  assert.equal(ran.length, 1);
});
