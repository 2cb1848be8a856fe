import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { leadhand, leadhandInClone, run, serve, temporaryFolder } from "../leadhand-process.ts";

test("a first start makes the data directory, says that it is ready, and answers probes and scrapes", async () => {
  const data = join(await temporaryFolder(), "new", "data");
  const server = await serve(["--data", data]);
  assert.match(server.out(), /^leadhand ready http:\/\/127\.0\.0\.1:\d+\n$/);
  assert.deepEqual(await (await fetch(`${server.url}/health`)).json(), { status: "ok" });
  assert.deepEqual(await (await fetch(`${server.url}/health/ready`)).json(), { status: "ready" });
  const authorization = `Bearer ${(await readFile(join(data, "admin-token"), "utf8")).trim()}`;
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: { authorization } })).text();
  assert.match(metrics, /^leadhand_moves_total\{type="task\.submitted"\} 0$/m);
  assert.match(metrics, /^leadhand_workers\{state="ONLINE"\} 0$/m);
  assert.equal((await stat(data)).mode & 0o777, 0o700);
  assert.equal((await stat(join(data, "leadhand.db"))).mode & 0o777, 0o600);
  assert.equal(await server.stop(), 0);
  assert.match(server.out(), /^leadhand ready \S+\n$/, "standard output has the ready line and nothing else");
});

test("SIGINT stops it as well as SIGTERM does", async () => {
  const server = await serve(["--data", await temporaryFolder()]);
  assert.equal(await server.stop("SIGINT"), 0);
});

test("metrics asked for without a token are refused", async () => {
  const server = await serve(["--data", await temporaryFolder()]);
  assert.equal((await fetch(`${server.url}/metrics`)).status, 401);
  assert.equal(await server.stop(), 0);
});

test("a request in hand does not keep it from stopping, nor does a connection that says nothing", async () => {
  const server = await serve(["--data", await temporaryFolder()]);
  const { port } = new URL(server.url);
  const silent = connect(Number(port), "127.0.0.1").on("error", () => {});
  await once(silent, "connect");
  silent.write("GET /health HTTP/1.1\r\n");
  assert.equal(await server.stop(), 0);
  silent.destroy();
});

test("a second server on the same data is refused, and the first goes on", async () => {
  const data = await temporaryFolder();
  const first = await serve(["--data", data]);
  const second = await run(["serve", "--port", "0", "--data", data, "--log-level", "silent"]);
  assert.equal(second.code, 1);
  assert.equal(second.err, `leadhand serve: ${join(data, "leadhand.db")} is in use by another server\n`);
  assert.equal(second.out, "");
  assert.equal((await fetch(`${first.url}/health/ready`)).status, 200);
  assert.equal(await first.stop(), 0);
});

test("after kill -9 the next start works at once", async () => {
  const data = await temporaryFolder();
  const first = await serve(["--data", data]);
  first.child.kill("SIGKILL");
  assert.equal(await first.ended, "SIGKILL");
  const second = await serve(["--data", data]);
  assert.equal((await fetch(`${second.url}/health/ready`)).status, 200);
  assert.equal(await second.stop(), 0);
});

test("where a launcher had to find the right Node, killing the launcher is killing the server", async () => {
  const data = await temporaryFolder();
  const launcher = fileURLToPath(new URL("../../tools/node.mjs", import.meta.url));
  const launched = leadhand([leadhandInClone, "serve", "--port", "0", "--data", data], {}, launcher);
  await until("it is ready", () => launched.out() !== "", 15_000);
  const url = launched.out().split(" ").at(-1)?.trim();
  launched.child.kill("SIGKILL");
  await until("the server is gone", () =>
    fetch(`${url}/health`).then(
      () => false,
      () => true,
    ),
  );
  const next = await serve(["--data", data]);
  assert.equal(await next.stop(), 0);
});

test("a second signal ends it at once, whatever it still waits for", async () => {
  // A database that accepts connections and never answers keeps the start waiting.
  const sockets: Socket[] = [];
  const deaf = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(deaf, "listening");
  const { port } = deaf.address() as { port: number };
  const server = leadhand(["serve", "--database-url", `postgres://me@127.0.0.1:${port}/x`]);
  await once(deaf, "connection");
  server.child.kill("SIGTERM");
  await until("it has ended", () => !server.child.kill("SIGINT"), 3_000);
  assert.equal(await server.ended, 130);
  for (const socket of sockets) socket.destroy();
  deaf.close();
});

test("a wrong setting is named with its value and what is allowed, before anything is made", async () => {
  const data = join(await temporaryFolder(), "data");
  const answer = await run(["serve", "--data", data, "--port", "abc"], { LEADHAND_BATCH_MAX: "0" });
  assert.equal(answer.code, 2);
  assert.match(answer.err, /^leadhand serve: --port: "abc" is not a whole number from 0 to 65535$/m);
  assert.match(answer.err, /^leadhand serve: LEADHAND_BATCH_MAX: "0" is not a whole number from 1 to 1000$/m);
  assert.equal(existsSync(data), false);
});

test("certificates that cannot be read are a wrong setting", async () => {
  const answer = await run([
    "serve",
    "--data",
    await temporaryFolder(),
    "--tls-cert",
    "/no/cert",
    "--tls-key",
    "/no/key",
  ]);
  assert.equal(answer.code, 2);
  assert.match(answer.err, /^leadhand serve: LEADHAND_TLS_CERT: "\/no\/cert" cannot be read: ENOENT/);
});

test("a taken port is one line and exit code 1, and the data can be used by others at once", async () => {
  const data = await temporaryFolder();
  const first = await serve(["--data", await temporaryFolder()]);
  const { port } = new URL(first.url);
  const answer = await run(["serve", "--data", data, "--port", port, "--log-level", "silent"]);
  assert.equal(answer.code, 1);
  assert.match(answer.err, new RegExp(`^leadhand serve: Port ${port} of 127.0.0.1 is taken by another process; .*\n$`));
  const next = await serve(["--data", data]);
  assert.equal(await next.stop(), 0);
  assert.equal(await first.stop(), 0);
});

test("a data directory that cannot be made is one line and exit code 1", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "file"), "");
  const answer = await run(["serve", "--data", join(folder, "file", "data")]);
  assert.equal(answer.code, 1);
  assert.match(answer.err, /^leadhand serve: The data directory \S+ \(LEADHAND_DATA\) cannot be made: .*\n$/);
});

test("a database that cannot be reached is one line without its password, and exit code 1", async () => {
  const url = "postgres://me:hunter2@127.0.0.1:1/leadhand";
  const answer = await run(["serve", "--port", "0", "--log-level", "silent"], { DATABASE_URL: url });
  assert.equal(answer.code, 1);
  assert.match(answer.err, /^leadhand serve: .*127\.0\.0\.1:1.*ECONNREFUSED.*\n$/);
  assert.doesNotMatch(answer.err, /hunter2/);
});

test("a database that this release is too old for is refused and left as it is", async () => {
  const data = await temporaryFolder();
  const first = await serve(["--data", data]);
  assert.equal(await first.stop(), 0);
  const db = new DatabaseSync(join(data, "leadhand.db"));
  db.exec("update meta set schema_version = 999, floor = 999");
  db.close();
  const answer = await run(["serve", "--port", "0", "--data", data, "--log-level", "silent"]);
  assert.equal(answer.code, 1);
  assert.match(
    answer.err,
    /^leadhand serve: \S+leadhand\.db is at version 999 of the schema; this release knows \d+\. .*\n$/,
  );
});

test("a file that is no database of ours is refused and left as it is", async () => {
  const data = await temporaryFolder();
  await mkdir(data, { recursive: true });
  const db = new DatabaseSync(join(data, "leadhand.db"));
  db.exec("create table somebody_elses (id integer)");
  db.close();
  const answer = await run(["serve", "--port", "0", "--data", data, "--log-level", "silent"]);
  assert.equal(answer.code, 1);
  assert.match(answer.err, /is a database, but not one of Leadhand\n$/);
});

test("nothing but the database, its lock and the admin token stays when it has stopped", async () => {
  const data = await temporaryFolder();
  const server = await serve(["--data", data]);
  assert.equal(await server.stop(), 0);
  assert.deepEqual((await readdir(data)).sort(), ["admin-token", "leadhand.db", "leadhand.db.lock"]);
});
