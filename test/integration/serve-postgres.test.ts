import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, query, withPostgres } from "../fresh-database.ts";
import { run, serve, temporaryFolder } from "../leadhand-process.ts";

test("any number of servers work on one PostgreSQL, and each signs off", withPostgres, async () => {
  const DATABASE_URL = await freshDatabase();
  const nodes = () => query(DATABASE_URL, "select id from leadhand.node");
  const data = await temporaryFolder();
  const first = await serve(["--data", data], { DATABASE_URL });
  const second = await serve([], { DATABASE_URL });
  const headers = { authorization: `Bearer ${(await readFile(join(data, "admin-token"), "utf8")).trim()}` };
  for (const { url } of [first, second]) {
    assert.deepEqual(await (await fetch(`${url}/health/ready`)).json(), { status: "ready" });
    assert.match(
      await (await fetch(`${url}/metrics`, { headers })).text(),
      /^leadhand_pulse_skew_seconds -?[\d.e-]+$/m,
    );
  }
  assert.equal((await nodes()).length, 2);
  assert.equal(await first.stop(), 0);
  assert.equal((await nodes()).length, 1);
  assert.equal(await second.stop(), 0);
  assert.equal((await nodes()).length, 0);
});

test("after kill -9 the next server on the same PostgreSQL is ready at once and leads soon", withPostgres, async () => {
  const DATABASE_URL = await freshDatabase();
  const first = await serve([], { DATABASE_URL });
  first.child.kill("SIGKILL");
  await first.ended;
  const second = await serve([], { DATABASE_URL });
  assert.equal((await fetch(`${second.url}/health/ready`)).status, 200);
  await until("it leads", () => second.err().includes("this server leads"), 10_000);
  assert.equal(await second.stop(), 0);
});

test("a PostgreSQL database that this release is too old for is refused with one line", withPostgres, async () => {
  const DATABASE_URL = await freshDatabase();
  assert.equal((await run(["migrate"], { DATABASE_URL })).code, 0);
  await query(DATABASE_URL, "insert into leadhand.migration (version, name) values (999, 'later')");
  await query(DATABASE_URL, "update leadhand.meta set floor = 999");
  for (const args of [["serve", "--port", "0", "--log-level", "silent"], ["migrate"], ["verify"]]) {
    const answer = await run(args, { DATABASE_URL });
    assert.equal(answer.code, 1, args[0]);
    assert.match(answer.err, /^leadhand \w+: .*version 999.*\n$/);
  }
});

test("a database that does not exist is one line and exit code 1", withPostgres, async () => {
  const url = new URL(await freshDatabase());
  url.pathname = "/no_such_database";
  const answer = await run(["serve", "--port", "0"], { DATABASE_URL: url.href });
  assert.equal(answer.code, 1);
  assert.match(
    answer.err,
    /^leadhand serve: PostgreSQL at \S+ cannot be used: database "no_such_database" does not exist\n$/,
  );
});

test("migrating says what it would do, then does it, then has nothing to do", withPostgres, async () => {
  const DATABASE_URL = await freshDatabase();
  const wouldDo = await run(["migrate", "--dry-run"], { DATABASE_URL });
  assert.match(wouldDo.out, /^ {2}0001-\w+ {2}pending$/m);
  assert.deepEqual(await query(DATABASE_URL, "select 1 from pg_namespace where nspname = 'leadhand'"), []);
  const done = await run(["migrate"], { DATABASE_URL });
  assert.match(done.out, /^ {2}0001-\w+ {2}applied now$/m);
  assert.match(done.out, /^Up to date$/m);
  const again = JSON.parse((await run(["migrate", "--json"], { DATABASE_URL })).out);
  assert.deepEqual(again.pending, []);
  assert.equal(again.applied[0].version, 1);
});

test("a backup of PostgreSQL is left to PostgreSQL's own tool", async () => {
  const answer = await run(["backup", "/tmp/never-made"], { DATABASE_URL: "postgres://127.0.0.1:1/x" });
  assert.equal(answer.code, 1);
  assert.match(answer.err, /pg_dump/);
});
