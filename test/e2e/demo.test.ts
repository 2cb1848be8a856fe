import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";

/** The address that it printed; undefined before. */
const addressIn = (out: string): string | undefined => /http:\/\/[\d.]+:\d+/.exec(out)?.[0];

/** What is seen of tasks of each kind, sooner or later. */
const sights = {
  "a long one tells how far it is": /render-video {2}running {4}(25|50|75)% {2}frame \d+$/m,
  "one that failed waits for its next try": /send-mail {5}pending {4}try 2 in/,
  "it succeeds then": /send-mail {5}completed {2}took .* at try 2$/m,
  "one fails for good": /send-mail {5}failed {5}The address does not exist$/m,
  "one is cancelled in a worker's hands": /build-report {2}cancelled {2}after \d\.\d s$/m,
  "one is cancelled before it began": /resize-image {2}cancelled {2}before it began$/m,
};

test("the demo shows tasks going every way, also those of the commands it tells of, and all is sound", async () => {
  const TMPDIR = await temporaryFolder();
  const demo = leadhand(["demo", "--for", "1m"], { TMPDIR });
  await until("a task is running", () => demo.out().includes("running"), 40_000);
  const exported = demo.out().matchAll(/export (\w+)=(\S+)/g);
  const told = Object.fromEntries([...exported].map(([, name, value]) => [name, value]));
  const job = /npx leadhand submit (\S+)/.exec(demo.out())?.[1] as string;
  const submitted = await run(["submit", job, '{"frames": 3}', "--follow"], told);
  assert.equal(submitted.code, 0, submitted.err);
  const [id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(submitted.out + submitted.err) ?? [""];
  const [tasks, logs] = await Promise.all([run(["tasks"], told), run(["logs", "-f", id], told)]);
  assert.ok(tasks.out.includes(id), tasks.out);
  assert.match(logs.out, /rendering 3 frames/);
  await until("it is seen", () => demo.out().includes(`…${id.slice(-8)}  render-video  completed`), 10_000);
  for (const [what, sight] of Object.entries(sights)) await until(what, () => sight.test(demo.out()), 20_000);

  demo.child.kill("SIGINT");
  assert.equal(await demo.ended, 0, "Ctrl-C is how a demo ends");
  const count = (word: string): number => Number(new RegExp(`^${word} +(\\d+) `, "m").exec(demo.out())?.[1] ?? 0);
  const all = count("completed") + count("failed") + count("cancelled") + count("open");
  assert.equal(count("submitted"), all);
  assert.match(demo.out(), new RegExp(`^verify: ${all} tasks, \\d+ events, 0 faults, after `, "m"));
  assert.equal(demo.err(), "");
  assert.deepEqual(await readdir(TMPDIR), []);
});

test("the demo ends by itself, leaves databases alone, and keeps its own where it was told to", async () => {
  const data = await temporaryFolder();
  const environment = { LEADHAND_DATA: data, DATABASE_URL: "postgres://127.0.0.1:1/somebody_elses" };
  const { code, out } = await run(["demo", "--for", "1500ms", "--json"], environment);
  assert.equal(code, 0);
  assert.deepEqual((await readdir(data)).sort(), ["admin-token", "leadhand.db", "leadhand.db.lock"]);
  const { submitted, verified, events } = JSON.parse(out);
  assert.equal(submitted, verified);
  // In words it would be one task where no more were submitted in that time.
  const found = JSON.parse((await run(["verify", "--data", data, "--json"])).out);
  assert.deepEqual([found.tasks, found.events, found.faults], [submitted, events, []]);
});

test("an ended demo leaves nothing behind: no folder, no process, no port", async () => {
  const ends = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 } as const;
  await Promise.all(
    (["SIGINT", "SIGTERM", "SIGHUP"] as const).map(async (signal) => {
      const TMPDIR = await temporaryFolder();
      const demo = leadhand(["demo", "--for", "1m"], { TMPDIR });
      await until("a task is running", () => demo.out().includes("running"), 40_000);
      demo.child.kill(signal);
      // Its output closes when the last process that holds it is gone.
      assert.equal(await demo.ended, ends[signal], signal);
      assert.deepEqual(await readdir(TMPDIR), [], signal);
      await assert.rejects(fetch(`${addressIn(demo.out())}/health`), signal);
    }),
  );
});

test("a demo nobody reads ends and leaves nothing behind", async () => {
  const TMPDIR = await temporaryFolder();
  const demo = leadhand(["demo", "--for", "1m"], { TMPDIR });
  await until("it says something", () => demo.out() !== "", 40_000);
  demo.child.stdout?.destroy();
  assert.equal(await demo.ended, 130);
  assert.deepEqual(await readdir(TMPDIR), []);
});

test("a time that is none is a mistake in the command line", async () => {
  const wrong = ["10", "0s", "25h"];
  const answers = await Promise.all(wrong.map((given) => run(["demo", "--for", given])));
  for (const [nth, { code, err }] of answers.entries()) {
    assert.equal(code, 2);
    assert.equal(err, `leadhand demo: --for: "${wrong[nth]}" is not a duration like 10s or 5m, up to 24h\n`);
  }
});
