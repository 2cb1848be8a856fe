import assert from "node:assert/strict";
import { copyFile, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Problem } from "../../src/core/problem.ts";
import { authenticator } from "../../src/server/auth/authenticator.ts";
import type { Database } from "../../src/server/database.ts";
import { lookIntoDatabase } from "../../src/server/look-into-database.ts";
import { systemClock } from "../../src/server/system.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { freshDatabase, query, withPostgres } from "../fresh-database.ts";
import { type Environment, run, serve, temporaryFolder } from "../leadhand-process.ts";

const embedded = (data: string): Database => ({ kind: "sqlite", file: join(data, "leadhand.db") });

/** Whom the token lets in as, told by a server's own authenticator that has just started on that database. */
async function letsIn(database: Database, token: string): Promise<string> {
  const log = recordedLog();
  const look = await lookIntoDatabase(database, log);
  const config = { jwtSecret: null, jwksUrl: null, jwtAudience: null, jwtSuperuserClaim: "su" };
  const door = authenticator({ store: look, clock: systemClock(), log, config });
  const answer = await door.authenticate(`Bearer ${token}`);
  await look.close();
  return "user" in answer ? `${answer.user} ${answer.role}` : (answer as Problem).message;
}

async function listed(args: readonly string[], environment: Environment = {}) {
  const { out, code } = await run(["token", "list", "--json", ...args], environment);
  assert.equal(code, 0);
  return JSON.parse(out).tokens as Record<string, unknown>[];
}

test("the admin token of a first start lets in, on a database that is made anew under it too", async () => {
  const data = await temporaryFolder();
  const server = await serve(["--data", data]);
  const file = join(data, "admin-token");
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const token = (await readFile(file, "utf8")).trim();
  assert.equal(await letsIn(embedded(data), token), "admin admin");
  assert.equal(await server.stop(), 0);
  assert.doesNotMatch(server.err() + server.out(), /lh_/, "it is told to nobody");

  await rm(join(data, "leadhand.db"));
  const next = await serve(["--data", data]);
  assert.equal(await letsIn(embedded(data), token), "admin admin");
  assert.equal(await next.stop(), 0);
});

test("tokens are made, listed and revoked while a server runs on the same data, and while none does", async () => {
  const data = await temporaryFolder();
  const server = await serve(["--data", data]);
  const limits = ["--rooms", "a,b", "--jobs", "@global:*", "--expires", "90d", "--name", "nightly"];
  const made = await run(["token", "create", "--user", "ada", ...limits, "--data", data]);
  assert.equal(made.code, 0);
  assert.match(made.out, /^lh_[\w-]{43}\n$/, "the token alone");
  assert.match(made.err, /^leadhand token: made token [0-9a-f]{16} of ada .*shown this once\.\n$/);
  assert.equal(await letsIn(embedded(data), made.out.trim()), "ada user");
  assert.equal((await fetch(`${server.url}/health/ready`)).status, 200);

  const [ada, admin] = await listed(["--data", data]);
  const { id, created_at, expires_at, ...rest } = ada as Record<string, string>;
  assert.deepEqual(rest, {
    ...{ name: "nightly", user: "ada", role: "user", rooms: ["a", "b"], jobs: ["@global:*"] },
    ...{ state: "active", revoked_at: null },
  });
  assert.equal(Date.parse(expires_at as string) - Date.parse(created_at as string) < 90 * 86_400_000 + 1, true);
  assert.equal(admin?.["role"], "admin");
  assert.doesNotMatch(JSON.stringify([ada, admin]), /lh_|hash/);

  const revoked = await run(["token", "revoke", id as string, "--data", data]);
  assert.deepEqual([revoked.code, revoked.out], [0, ""]);
  assert.match(revoked.err, /revoked token/);
  assert.equal(await letsIn(embedded(data), made.out.trim()), "The token was revoked");
  assert.equal(await server.stop(), 0);

  const alone = await run(["token", "create", "--user", "bob", "--role", "viewer", "--json", "--data", data]);
  const { token, user } = JSON.parse(alone.out);
  assert.deepEqual([alone.code, alone.err, user], [0, "", "bob"]);
  assert.equal(await letsIn(embedded(data), token), "bob viewer");
  const table = await run(["token", "list", "--data", data]);
  assert.match(table.out, /^ID +STATE +ROLE +USER/);
  assert.match(table.out, new RegExp(`^${id} +revoked +user +ada +nightly +a,b`, "m"));
});

test("many tokens made at once beside a busy server are all there", async () => {
  const data = await temporaryFolder();
  const server = await serve(["--data", data]);
  const made = await Promise.all(
    ["a", "b", "c", "d"].map((user) => run(["token", "create", "--user", user, "--data", data])),
  );
  assert.deepEqual(
    made.map(({ code }) => code),
    [0, 0, 0, 0],
  );
  assert.equal((await listed(["--data", data])).length, 5);
  assert.equal(await server.stop(), 0);
});

test("what is wrong with the command line is exit code 2, and nothing is made of it", async () => {
  const data = await temporaryFolder();
  const wrong: [string[], RegExp][] = [
    [[], /ACTION is missing/],
    [["creat"], /"creat" is not create, list or revoke/],
    [["create"], /--user is missing/],
    [["create", "extra", "--user", "a"], /"extra" is one word too many/],
    [["create", "--user", "a", "--role", "root"], /--role/],
    [["create", "--user", "a", "--rooms", "x:y"], /Room id 'x:y'/],
    [["create", "--user", "a", "--role", "admin", "--jobs", "*"], /--role is admin/],
    [["create", "--user", "a", "--expires", "90"], /--expires/],
    [["list", "--user", "a"], /--user is not for `token list`/],
    [["revoke"], /ID is missing/],
  ];
  for (const [args, why] of wrong) {
    const { code, out, err } = await run(["token", ...args, "--data", data]);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.match(err, why);
  }
});

test("without a database or without such a token it is exit code 1 and one line", async () => {
  const data = await temporaryFolder();
  const none = await run(["token", "create", "--user", "a", "--data", data]);
  assert.deepEqual([none.code, none.out], [1, ""]);
  assert.match(none.err, /leadhand\.db does not exist; .*`leadhand migrate`\n$/);
  await copyFile(new URL("../../README.md", import.meta.url), join(data, "leadhand.db"));
  assert.match((await run(["token", "list", "--data", data])).err, /is not a database\n$/);
  const other = await temporaryFolder();
  assert.equal((await run(["migrate", "--data", other])).code, 0);
  const unknown = await run(["token", "revoke", "0123", "--data", other]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /^leadhand token: There is no token 0123; .*\n$/);
});

test("on PostgreSQL the first server makes the admin token and the second makes none", withPostgres, async () => {
  const DATABASE_URL = await freshDatabase();
  const database: Database = { kind: "postgres", url: DATABASE_URL, listenUrl: DATABASE_URL };
  const [one, two] = [await temporaryFolder(), await temporaryFolder()];
  const first = await serve(["--data", one], { DATABASE_URL });
  const second = await serve(["--data", two], { DATABASE_URL });
  const token = (await readFile(join(one, "admin-token"), "utf8")).trim();
  assert.equal(await letsIn(database, token), "admin admin");
  await assert.rejects(stat(join(two, "admin-token")));

  const made = await run(["token", "create", "--user", "ada"], { DATABASE_URL });
  assert.equal(await letsIn(database, made.out.trim()), "ada user");
  const [ada] = await listed([], { DATABASE_URL });
  assert.equal((await run(["token", "revoke", ada?.["id"] as string], { DATABASE_URL })).code, 0);
  assert.equal(await letsIn(database, made.out.trim()), "The token was revoked");
  assert.equal((await query(DATABASE_URL, "select 1 from leadhand.token")).length, 2);
  await Promise.all([first.stop(), second.stop()]);
});
