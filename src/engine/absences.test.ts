import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { until } from "../testing/until.ts";
import { type World, world } from "../testing/world.ts";

const graceMs = 5_000;

async function scene(): Promise<Omit<World, "worker"> & { readonly worker: string }> {
  const made = await world({ settings: { connectionGraceMs: graceMs } });
  const job = await made.job("lab:modifiers:Rotate");
  const worker = await made.worker([job], { profile: "rest" });
  return { ...made, worker };
}

async function isThere({ store, worker }: Pick<World, "store"> & { readonly worker: string }): Promise<boolean> {
  const [record] = await store.read("workers", { ids: [worker] });
  return record?.session.lostAt === null;
}

test("a worker that gives no sign of life within the grace is lost when it ends, and not before", async (t) => {
  const by = await scene();
  t.after(by.stop);
  await by.pass(10);
  by.engine.absences.begin(by.worker, by.clock.now());
  await by.pass(graceMs - 1);
  assert.ok(await isThere(by));
  await by.pass(1);
  await until("it is lost", async () => !(await isThere(by)));
});

test("a beat keeps it, also one that came between the last word on the connection and its end", async (t) => {
  const by = await scene();
  t.after(by.stop);
  await by.pass(10);
  by.engine.absences.begin(by.worker, by.clock.now());
  await by.pass(graceMs - 1);
  await by.engine.beat(by.worker);
  await by.pass(graceMs);
  assert.ok(await isThere(by));
  const since = by.clock.now();
  await by.pass(10);
  await by.engine.beat(by.worker);
  await by.pass(10);
  by.engine.absences.begin(by.worker, since);
  await by.pass(graceMs);
  assert.ok(await isThere(by));
});

test("a beat that was the last keeps it until the next would be late, and one more keeps it for good", async (t) => {
  const by = await scene();
  t.after(by.stop);
  const { beatMs } = defaultProfiles.rest;
  const beatenIntoTheSilence = async () => {
    const since = by.clock.now();
    await by.pass(10);
    await by.engine.beat(by.worker);
    await by.pass(10);
    by.engine.absences.begin(by.worker, since);
    await by.pass(graceMs);
  };
  await beatenIntoTheSilence();
  await by.pass(beatMs - 11);
  assert.ok(await isThere(by));
  await by.engine.beat(by.worker);
  await by.pass(beatMs + 2 * graceMs);
  assert.ok(await isThere(by));
  await by.engine.beat(by.worker);
  await beatenIntoTheSilence();
  await by.pass(beatMs - 11);
  assert.ok(await isThere(by));
  await by.pass(11);
  await until("it is lost", async () => !(await isThere(by)));
});

test("a second loss begins the grace anew", async (t) => {
  const by = await scene();
  t.after(by.stop);
  await by.pass(10);
  by.engine.absences.begin(by.worker, by.clock.now());
  await by.pass(graceMs - 1);
  by.engine.absences.begin(by.worker, by.clock.now());
  await by.pass(graceMs - 1);
  assert.ok(await isThere(by));
  await by.pass(1);
  await until("it is lost", async () => !(await isThere(by)));
});
