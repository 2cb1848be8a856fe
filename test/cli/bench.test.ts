// `leadhand bench` with small numbers: what it says, and what it leaves behind.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, postgresUrl, query, withPostgres } from "../fresh-database.ts";
import { type Ended, leadhand, run, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";

const small = ["--tasks", "40", "--concurrency", "8"];

function assertMeasured({ code, out, err }: Ended, server: string): void {
  assert.deepEqual([code, err], [0, ""]);
  const { submit, drain, pickup, ...about } = JSON.parse(out);
  assert.deepEqual(about, { server, tasks: 40, concurrency: 8 });
  assert.ok(submit.perSecond > 0 && drain.perSecond > 0, out);
  for (const { p50Ms, p99Ms } of [submit, pickup]) assert.ok(p50Ms > 0 && p99Ms >= p50Ms, out);
}

test("a bench measures a server of its own, and leaves nothing behind", async () => {
  const folder = await temporaryFolder();
  const ended = await run(["bench", ...small, "--json"], { TMPDIR: folder });
  assertMeasured(ended, "sqlite");
  assert.deepEqual(readdirSync(folder), []);
});

test("a bench that is interrupted leaves nothing behind either", async () => {
  const folder = await temporaryFolder();
  const { child, err, ended } = leadhand(["bench", "--tasks", "1000000"], { TMPDIR: folder });
  await until("it has a server", () => err().includes("a server of its own"), 20_000);
  assert.notDeepEqual(readdirSync(folder), []);
  child.kill("SIGINT");
  assert.equal(await ended, 130);
  assert.deepEqual(readdirSync(folder), []);
});

test("on PostgreSQL it measures in a database of its own, and drops it", withPostgres, async () => {
  const url = await freshDatabase();
  assertMeasured(await run(["bench", ...small, "--json"], { DATABASE_URL: url }), "postgres");
  assert.deepEqual(await query(url, "select 1 from information_schema.tables where table_schema = 'public'"), []);
  const left = "select datname from pg_database where datname like 'leadhand_bench_%'";
  assert.deepEqual(await query(postgresUrl as string, left), []);
});

test("a server that runs already is measured by its tasks, all of which it has done", async () => {
  const { url, admin } = await restScene();
  const { code, out, err } = await run(["bench", ...small, "--url", url], { LEADHAND_TOKEN: admin.token });
  assert.deepEqual([code, err], [0, `leadhand bench: the server at ${url}, 40 tasks\n`]);
  assert.match(out, /^WHAT +RATE +P50 +P99\nsubmit, .+\/s .+ ms\ndrain, .+\/s\nfrom submit to handler, .+ ms\n$/);
  // As many as it was told, and as many to see how soon a single one is picked up, with one in four to warm up.
  const done = await admin.get("/rooms/bench/tasks?status=completed");
  const all = await admin.get("/rooms/bench/tasks");
  assert.deepEqual([done.body.total, all.body.total], [90, 90]);
});

test("a bench that cannot be made is refused before anything is started", async () => {
  const folder = await temporaryFolder();
  const environment = { TMPDIR: folder, LEADHAND_TOKEN: "lh_x" };
  const [none, token, away] = await Promise.all([
    run(["bench", "--tasks", "0"], environment),
    run(["bench", "--token", "lh_x"], environment),
    run(["bench", "--url", "http://127.0.0.1:9"], environment),
  ]);
  assert.deepEqual([none.code, token.code, away.code], [2, 2, 1]);
  assert.match(none.err, /--tasks: "0" is not a whole number from 1 to 1000000/);
  assert.match(token.err, /--token is for the server of --url/);
  assert.match(away.err, /^leadhand bench: No answer from http:\/\/127\.0\.0\.1:9/);
  assert.deepEqual(readdirSync(folder), []);
});
