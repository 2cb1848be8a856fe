// How sessions end, how often one may try to begin one, and what proxies have to do with it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf, idOf } from "../../src/server/auth/api-token.ts";
import { testServer } from "../../src/testing/test-server.ts";
import { expectProblem } from "./expect-problem.ts";
import { type Reply, restScene } from "./scene.ts";
import { knock, signIn } from "./signed-in.ts";

const minute = 60_000;
const hour = 60 * minute;

/** On a clock that is moved by hand. */
async function timed() {
  const server = await testServer();
  async function send(method: string, path: string, init: { headers?: object; body?: object } = {}): Promise<Reply> {
    const answer = await fetch(`${server.url}/v1${path}`, {
      ...{ method, headers: { ...init.headers } },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: text === "" ? null : JSON.parse(text) };
  }
  async function begin(shown: object) {
    const reply = await send("POST", "/session", { body: shown });
    const cookie = (reply.headers.get("set-cookie") ?? "").split(";")[0] as string;
    return { reply, read: () => send("GET", "/session", { headers: { cookie } }) };
  }
  const code = async (token: string): Promise<{ code: string }> =>
    (await send("POST", "/session/codes", { headers: { authorization: `Bearer ${token}` } })).body;
  return { server, send, begin, code, [Symbol.asyncDispose]: () => server.stop() };
}

test("a session lasts twelve hours, and not a moment longer", async () => {
  await using scene = await timed();
  const { read } = await scene.begin({ token: scene.server.token });
  await scene.server.advance(12 * hour - 1);
  assert.equal((await read()).status, 200);
  await scene.server.advance(1);
  expectProblem(await read(), "unauthorized", /expired/);
});

test("a session ends with the token that it came of", async () => {
  await using scene = await timed();
  const expiresAt = scene.server.clock.now() + hour;
  const token = await scene.server.tokenFor("ada", { expiresAt });
  const { reply, read } = await scene.begin({ token });
  assert.equal(Date.parse(reply.body.expires_at), expiresAt);
  const byCode = await scene.begin(await scene.code(token));
  assert.equal(Date.parse(byCode.reply.body.expires_at), expiresAt);
  await scene.server.advance(hour);
  for (const each of [read, byCode.read]) expectProblem(await each(), "unauthorized", /expired/);
});

test("a code is good for ten minutes", async () => {
  await using scene = await timed();
  const codes = [await scene.code(scene.server.token), await scene.code(scene.server.token)];
  await scene.server.advance(10 * minute - 1);
  assert.equal((await scene.begin(codes[0] as object)).reply.status, 200);
  await scene.server.advance(1);
  expectProblem((await scene.begin(codes[1] as object)).reply, "unauthorized", /ten minutes/);
});

test("a code of a token that was revoked is worth nothing, nor is a session", async () => {
  const scene = await restScene();
  const ada = await scene.caller("ada");
  const { body } = await ada.post("/session/codes");
  const { send } = await signIn(scene, ada);
  assert.equal((await scene.admin.delete(`/tokens/${idOf(hashOf(ada.token))}`)).status, 204);
  expectProblem(await knock(scene, body), "unauthorized");
  expectProblem(await knock(scene, { token: ada.token }), "unauthorized", /revoked/);
  expectProblem(await send("GET", "/session"), "unauthorized", /revoked/);
});

test("no secret of a session or a code is in the log, however much it tells", async () => {
  const lines: string[] = [];
  await using server = await testServer({ settings: { LEADHAND_LOG_LEVEL: "debug" }, log: (line) => lines.push(line) });
  const ask = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${server.url}/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const authorization = `Bearer ${server.token}`;
  const { code } = (await (await ask("POST", "/session/codes", { authorization })).json()) as { code: string };
  for (const _ of [1, 2]) await ask("POST", "/session", {}, { code });
  const begun = await ask("POST", "/session", {}, { token: server.token });
  const cookie = (begun.headers.get("set-cookie") ?? "").split(";")[0] as string;
  await ask("DELETE", "/session", { cookie });
  await ask("GET", "/session", { authorization: `Bearer ${code}` });
  await ask("GET", "/session", { cookie: `${cookie}x` });
  assert.ok(lines.some((line) => line.includes("signed in")) && lines.some((line) => line.includes("turned away")));
  for (const secret of [code, cookie.split("=")[1] as string, server.token]) {
    assert.ok(!lines.join("").includes(secret.slice(4)), "a secret was told");
  }
});

test("whoever tries to sign in too often, and fails, has to wait; others at other addresses have not", async () => {
  const scene = await restScene({ "trusted-proxies": "127.0.0.1" });
  const from = (address: string, shown: object) => knock(scene, shown, { "x-forwarded-for": address });
  const good = { token: scene.admin.token };
  for (let n = 0; n < 30; n += 1)
    assert.equal((await from("192.0.2.1", good)).status, 200, "what is good never counts");
  const tries = await Promise.all(Array.from({ length: 30 }, () => from("192.0.2.1", { code: "x" })));
  const refused = tries.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 9 && refused.length <= 10, `${refused.length} of 30 were refused`);
  for (const reply of refused) {
    expectProblem(reply, "rate-limited", /sign in/);
    assert.match(reply.headers.get("retry-after") ?? "", /^[1-3]$/);
  }
  assert.equal((await from("192.0.2.2", good)).status, 200);
  for (let n = 0; n < 20; n += 1) await from(`2001:db8:1:2::${n}`, { code: "x" });
  assert.equal((await from("2001:db8:1:2:ffff::1", { code: "x" })).status, 429, "one house has many addresses");
  assert.equal((await from("2001:db8:1:3::1", { code: "x" })).status, 401);
});

test("behind a proxy that has TLS and a path of its own, the cookie is for that path, and secure", async () => {
  const scene = await restScene({ "trusted-proxies": "127.0.0.1" });
  const headers = { "x-forwarded-proto": "https", "x-forwarded-prefix": "/jobs/", "x-forwarded-host": "lab.example" };
  const reply = await knock(scene, { token: scene.admin.token }, { ...headers, origin: "https://lab.example" });
  assert.match(reply.headers.get("set-cookie") ?? "", /; Path=\/jobs\/; Max-Age=43200; Secure$/);
  for (const origin of ["http://lab.example", scene.url, "https://lab.example:8443"]) {
    expectProblem(await knock(scene, { token: scene.admin.token }, { ...headers, origin }), "forbidden");
  }
  const unasked = await restScene();
  const plain = await knock(unasked, { token: unasked.admin.token }, headers);
  assert.match(plain.headers.get("set-cookie") ?? "", /; Path=\/; Max-Age=43200$/, "a stranger is not believed");
});
