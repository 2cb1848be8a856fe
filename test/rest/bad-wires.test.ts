import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SignJWT } from "jose";
import { until } from "../../src/testing/until.ts";
import { restScene } from "./scene.ts";
import { requestBytes, type Wire, wire } from "./wire.ts";

const secret = "a secret that is long enough for SHA-256, and no more";
const scene = await restScene({ "jwt-secret": secret });
const { admin } = scene;
const job = "@global:modifiers:Rotate";
const submit = `/v1/rooms/lab/tasks/${job}`;
const head = (target: string) => `POST ${target} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${admin.token}\r\n`;

before(async () => {
  await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Rotate", schema: {} });
});

async function taskCount(): Promise<number> {
  return (await admin.get("/tasks?limit=0")).body.total;
}

/** Whoever asks in the ordinary way is answered as ever. */
async function othersAreServed(): Promise<void> {
  assert.equal((await admin.get("/tasks?limit=1")).status, 200);
}

async function asked(bytes: string | Uint8Array) {
  const by = await wire(scene.url);
  const reply = await by.ask(bytes);
  by.hangUp();
  return reply;
}

test("tokens that were made up, cut, changed or badly written are refused alike", async () => {
  const { token } = admin;
  const tokens = [
    "",
    "x",
    "lh_",
    `${token}x`,
    token.slice(0, -1),
    token.toUpperCase(),
    `${token} ${token}`,
    "a.b.c",
    "é",
    "x".repeat(9_000),
  ];
  for (const each of tokens) {
    const reply = await asked(
      requestBytes({ method: "GET", target: "/v1/tasks", headers: { authorization: `Bearer ${each}` } }),
    );
    assert.equal(reply?.status, 401, each.slice(0, 80));
    assert.equal(reply?.headers["www-authenticate"], "Bearer");
    assert.equal(reply?.headers["content-type"], "application/problem+json");
  }
  for (const scheme of ["", "Basic", "Bearer:", "Token"]) {
    const headers = { authorization: `${scheme} ${token}` };
    assert.equal((await asked(requestBytes({ method: "GET", target: "/v1/tasks", headers })))?.status, 401, scheme);
  }
  const twice = `GET /v1/tasks HTTP/1.1\r\nhost: a\r\nauthorization: Bearer x\r\nauthorization: Bearer ${token}\r\n\r\n`;
  assert.ok([400, 401].includes((await asked(twice))?.status ?? 0), "of two tokens the second does not count");
});

test("JWTs without a signature, with another's, or past their time are refused", async () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { sub: "ada", su: true, exp: 4_000_000_000 };
  const sign = (key: string, expiry: number) =>
    new SignJWT({ sub: "ada", su: true })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime(expiry)
      .sign(Buffer.from(key));
  const unsigned = ["none", "None", "NONE", "", "HS256"].map((alg) => `${encode({ alg })}.${encode(claims)}.`);
  const tokens = [
    ...unsigned,
    ...unsigned.map((token) => `${token}AAAA`),
    await sign(`${secret}!`, 4_000_000_000),
    await sign(secret, 1_000_000_000),
    `${await sign(secret, 4_000_000_000)}A`,
  ];
  for (const token of tokens) assert.equal((await scene.send("GET", "/v1/tasks", { token })).status, 401, token);
  assert.equal((await scene.send("GET", "/v1/tasks", { token: await sign(secret, 4_000_000_000) })).status, 200);
});

test("a stranger's large body is not read, and nothing of it is kept", async () => {
  const by = await wire(scene.url);
  const reply = await by.ask(`POST ${submit} HTTP/1.1\r\nhost: a\r\ncontent-length: 4000000\r\n\r\n{`);
  assert.equal(reply?.status, 401);
  by.hangUp();
});

test("headers without end are cut off, and others are served", async () => {
  const before = await taskCount();
  for (const many of [
    `x: ${"y".repeat(40_000)}\r\n`,
    Array.from({ length: 3_000 }, (_, nth) => `x${nth}: y\r\n`).join(""),
  ]) {
    const reply = await asked(`${head(submit)}${many}content-length: 2\r\n\r\n{}`);
    assert.equal(reply?.status, 431);
  }
  const reply = await asked(`GET /v1/tasks?x=${"y".repeat(40_000)} HTTP/1.1\r\nhost: a\r\n\r\n`);
  assert.equal(reply?.status, 431);
  assert.equal(await taskCount(), before);
});

test("requests that two servers could read differently are refused, and nothing of them runs", async () => {
  const before = await taskCount();
  const inner = `${head(submit)}content-length: 2\r\n\r\n{}`;
  const shapes = [
    `${head("/v1/workers")}content-length: ${inner.length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    `${head("/v1/workers")}content-length: 0\r\ncontent-length: ${inner.length}\r\n\r\n${inner}`,
    `${head("/v1/workers")}content-length: +0\r\n\r\n${inner}`,
    `${head("/v1/workers")}content-length: -1\r\n\r\n${inner}`,
    `${head("/v1/workers")}content-length: 0x0\r\n\r\n${inner}`,
    `${head("/v1/workers")}content-length: 0, 0\r\n\r\n${inner}`,
    `${head("/v1/workers")}content-length : 0\r\n\r\n${inner}`,
    `${head("/v1/workers")}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
    `${head("/v1/workers")}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`,
    `${head("/v1/workers")}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n${inner}`,
    `${head("/v1/workers")} x: folded\r\n\r\n${inner}`,
    `${head("/v1/workers")}x: a\0b\r\n\r\n${inner}`,
    `${head("/v1/workers")}x: a\nb\r\n\r\n${inner}`,
    "GET /v1/tasks HTTP/1.1\r\n\r\n",
    `GET /v1/tasks HTTP/9.9\r\nhost: a\r\n\r\n${inner}`,
    `G\u0001T /v1/tasks HTTP/1.1\r\nhost: a\r\n\r\n${inner}`,
    `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`,
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${inner}`,
    "\0".repeat(1_000),
  ];
  for (const shape of shapes) {
    const by = await wire(scene.url);
    const reply = await by.ask(Buffer.from(shape, "latin1"));
    assert.ok(reply === null || reply.status === 400, `${shape.slice(0, 160)} → ${reply?.status}`);
    await by.closed;
    assert.equal(await taskCount(), before, shape);
  }
  await othersAreServed();
});

test("requests one after another on one connection are answered in turn", async () => {
  const by = await wire(scene.url);
  const first = requestBytes({ method: "GET", target: "/v1/tasks?limit=0", token: admin.token });
  const second = requestBytes({ method: "GET", target: "/v1/nothing", token: admin.token });
  assert.equal((await by.ask(Buffer.concat([first, second])))?.status, 200);
  assert.equal((await by.ask(""))?.status, 404);
  by.hangUp();
});

test("bodies that come slowly, or never, keep nobody else from being answered", async () => {
  const slow: Wire[] = await Promise.all(Array.from({ length: 500 }, () => wire(scene.url)));
  for (const by of slow) by.write(`${head(submit)}content-length: 1000\r\n\r\n{"payload":`);
  const quiet: Wire[] = await Promise.all(Array.from({ length: 500 }, () => wire(scene.url)));
  for (const by of quiet) by.write("GET /v1/tasks HTT");
  for (let nth = 0; nth < 20; nth += 1) await othersAreServed();
  const before = await taskCount();
  for (const by of [...slow, ...quiet]) by.hangUp();
  await othersAreServed();
  assert.equal(await taskCount(), before, "half of a request is no request");
});

test("a body that is shorter than it says is no request", async () => {
  const before = await taskCount();
  const by = await wire(scene.url);
  by.write(`${head(submit)}content-length: 100\r\n\r\n{}`);
  by.hangUp();
  await by.closed;
  await othersAreServed();
  assert.equal(await taskCount(), before);
});

test("callers who hang up in the middle of a wait leave nothing waiting", async () => {
  const { body } = await admin.post("/workers");
  const request = { method: "POST", target: "/v1/tasks/claim", token: admin.token, headers: { prefer: "wait=60" } };
  const waiting = await Promise.all(Array.from({ length: 100 }, () => wire(scene.url)));
  for (const by of waiting) by.write(requestBytes({ ...request, body: JSON.stringify({ worker_id: body.id }) }));
  await othersAreServed();
  await until("all of them wait", () => scene.serving.operations.waitingClaims() === 100);
  for (const by of waiting) by.hangUp();
  await until("nobody waits", () => scene.serving.operations.waitingClaims() === 0);
  // A task that is submitted now goes to whoever asks next, and not to one who is gone.
  await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Waited", worker_id: body.id });
  const { body: task } = await admin.post("/rooms/lab/tasks/@global:modifiers:Waited", {});
  await until("the task is claimed by one who is there", async () => {
    const claimed = await admin.post("/tasks/claim", { worker_id: body.id });
    return claimed.body.task?.id === task.id;
  });
});
