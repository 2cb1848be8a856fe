import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";

test("the demo ends by itself: every task has ended, every history is sound, nothing is left", async () => {
  const TMPDIR = await temporaryFolder();
  const { code, out, err } = await run(["demo", "--tasks", "500"], { TMPDIR });
  assert.equal(err, "");
  assert.match(out, /^submitted +500 /m);
  assert.match(out, /^completed +480 /m);
  assert.match(out, /^failed +5 /m);
  assert.match(out, /^cancelled +15 /m);
  assert.match(out, /^verify: 500 tasks, 1,575 events, 0 faults$/m);
  assert.equal(code, 0);
  assert.deepEqual(await readdir(TMPDIR), []);
});

test("the demo's summary is JSON for programs", async () => {
  const { code, out } = await run(["demo", "--tasks", "100", "--json"], { TMPDIR: await temporaryFolder() });
  assert.equal(code, 0);
  const { submitted, completed, failed, cancelled, verified, faults } = JSON.parse(out);
  assert.deepEqual([submitted, completed, failed, cancelled, verified, faults], [100, 96, 1, 3, 100, 0]);
});

test("the demo leaves the user's databases alone, and keeps its own where it was told to", async () => {
  const data = await temporaryFolder();
  const environment = { LEADHAND_DATA: data, DATABASE_URL: "postgres://127.0.0.1:1/somebody_elses" };
  assert.equal((await run(["demo", "--tasks", "100"], environment)).code, 0);
  assert.deepEqual((await readdir(data)).sort(), ["admin-token", "leadhand.db", "leadhand.db.lock"]);
  assert.equal((await run(["verify", "--data", data])).out, "100 tasks, 315 events, 0 faults\n");
});

test("an interrupted demo leaves nothing behind", async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const TMPDIR = await temporaryFolder();
    const demo = leadhand(["demo", "--tasks", "1000000"], { TMPDIR });
    await until("tasks are completed", () => /completed [1-9]/.test(demo.out()), 20_000);
    demo.child.kill(signal);
    assert.equal(await demo.ended, { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    assert.deepEqual(await readdir(TMPDIR), [], signal);
  }
});

test("a demo nobody reads ends and leaves nothing behind", async () => {
  const TMPDIR = await temporaryFolder();
  const demo = leadhand(["demo", "--tasks", "1000000"], { TMPDIR });
  await until("it says something", () => demo.out() !== "", 20_000);
  demo.child.stdout?.destroy();
  assert.equal(await demo.ended, 130);
  assert.deepEqual(await readdir(TMPDIR), []);
});

test("a number of tasks that is none is a mistake in the command line", async () => {
  const { code, err } = await run(["demo", "--tasks", "many"]);
  assert.equal(code, 2);
  assert.equal(err, 'leadhand demo: --tasks: "many" is not a whole number from 1 to 1000000\n');
});
