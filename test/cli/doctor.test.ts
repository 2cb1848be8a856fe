import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Server as SocketServer } from "socket.io";
import type { Asking } from "../../src/cli/asking-command.ts";
import { clock } from "../../src/cli/doctor/server-checks.ts";
import { socketCheck } from "../../src/cli/doctor/socket-check.ts";
import { run, temporaryFolder } from "../leadhand-process.ts";
import { commandScene } from "./command-scene.ts";

const { command, caller, url, data } = await commandScene();

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly text: string;
  readonly advice: string | null;
}

function stateOf(out: string, name: string): string | undefined {
  return new RegExp(`^(ok|warn|fail) +${name} `, "m").exec(out)?.[1];
}

test("where all is well each check says so, and nothing is left behind", async () => {
  const before = readdirSync(data).sort();
  const { code, out } = await command("doctor");
  assert.equal(code, 0, out);
  for (const name of ["node", "server", "ready", "release", "clock", "token", "database", "space"]) {
    assert.equal(stateOf(out, name), "ok", `${name}: ${out}`);
  }
  assert.match(out, /^ok +token .*speaks for admin, may do everything: every room, every job$/m);
  assert.match(out, /^ok +database +sqlite at .*leadhand\.db, version \d+$/m);
  assert.match(out, /^\w+ +disk .*a write reaches the disk in /m);
  assert.match(out, /^\w+ +socket /m);
  assert.deepEqual(readdirSync(data).sort(), before);
});

test("a server that is not there is a failure with what to do, and this machine is looked at all the same", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  await once(server, "close");
  const elsewhere = { LEADHAND_URL: `http://127.0.0.1:${port}`, LEADHAND_DATA: `${await temporaryFolder()}/none` };
  const { code, out } = await run(["doctor"], elsewhere);
  assert.equal(code, 1);
  assert.equal(stateOf(out, "server"), "fail");
  assert.match(out, /→ start one with `leadhand serve`/);
  assert.equal(stateOf(out, "token"), undefined, "nobody can say what it is good for");
  assert.match(out, /^ok +data +no server's data here/m);
  assert.match(out, /\n1 check failed\n$/);
});

test("a token is judged: none, a wrong one, and one with limits", async () => {
  const { token } = await caller("ada", { role: "viewer", rooms: ["lab"], jobs: ["lab:*"] });
  const given = (more: Record<string, string>) => ({ LEADHAND_URL: url, LEADHAND_DATA: "/no/such/folder", ...more });
  const [none, wrong, narrow] = await Promise.all([
    run(["doctor"], given({})),
    run(["doctor", "--json"], given({ LEADHAND_TOKEN: "lh_wrong" })),
    run(["doctor"], given({ LEADHAND_TOKEN: token })),
  ]);
  assert.deepEqual([none.code, wrong.code, narrow.code], [1, 1, 0]);
  assert.match(none.out, /^fail +token +none: \/no\/such\/folder\/admin-token is not there/m);
  const found: Finding | undefined = JSON.parse(wrong.out).checks.find(({ name }: Finding) => name === "token");
  assert.equal(found?.state, "fail");
  assert.match(found?.advice ?? "", /leadhand token create/);
  assert.match(narrow.out, /^ok +token .*speaks for ada, may only read: rooms lab, jobs lab:\*$/m);
  assert.ok(!narrow.out.includes(token));
});

test("what is no Leadhand is told", async () => {
  const server = createServer((_, reply) => reply.end("hello")).listen(0, "127.0.0.1");
  after(() => server.close());
  await once(server, "listening");
  const port = portOf(server);
  const { code, out } = await run(["doctor", "--url", `http://127.0.0.1:${port}`, "--token", "lh_x"]);
  assert.equal(code, 1);
  assert.match(out, /^fail +server .*not as Leadhand does$/m);
});

test("WebSockets are tried, and it is told when they do not come through", async () => {
  const plain = createServer((_, reply) => reply.end("polling works")).listen(0, "127.0.0.1");
  const sockets = createServer().listen(0, "127.0.0.1");
  const door = new SocketServer(sockets);
  after(() => Promise.all([door.close(), plain.close()]));
  await Promise.all([once(plain, "listening"), once(sockets, "listening")]);
  const { signal } = new AbortController();
  const [blocked, open, none] = await Promise.all(
    [portOf(plain), portOf(sockets), Number(new URL(url).port)].map((port) =>
      socketCheck({ server: { url: `http://127.0.0.1:${port}` }, signal } as Asking),
    ),
  );
  assert.deepEqual([blocked?.[0]?.state, open?.[0]?.state], ["warn", "ok"]);
  assert.match(blocked?.[0]?.text ?? "", /do not come through/);
  assert.notEqual(none?.[0]?.state, "fail", "workers live without them");
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

test("clocks are compared as far as whole seconds allow", () => {
  const at = Date.parse("2026-11-15T10:00:00.000Z");
  const date = (ms: number) => new Date(at + ms).toUTCString();
  assert.equal(clock(date(0), at, at + 10).state, "ok");
  assert.equal(clock(date(-2_000), at + 900, at + 910).state, "ok", "less than two seconds, for all that is known");
  assert.match(clock(date(-60_000), at, at + 10).text, /about 59\.0 s behind/);
  assert.match(clock(date(60_000), at, at + 10).text, /about 59\.9 s ahead of/);
  assert.equal(clock(null, at, at).state, "warn");
});
