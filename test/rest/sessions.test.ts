// Signing in with a browser: by token, by code, and what a cookie is good for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SignJWT } from "jose";
import { hashOf, idOf } from "../../src/server/auth/api-token.ts";
import { systemClock } from "../../src/server/system.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";
import { knock, signIn } from "./signed-in.ts";

const jwtSecret = "a secret of at least thirty-two characters";
const scene = await restScene({ "jwt-secret": jwtSecret });
const { admin } = scene;
const ada = await scene.caller("ada", { rooms: ["lab"] });
const clock = systemClock();
const hours = 3_600_000;

test("whoever shows a token gets a session with its rights, in a cookie that no script reads", async () => {
  const { session, send } = await signIn(scene, ada);
  const { user, role, rooms, jobs, expires_at, csrf, server } = session.body;
  assert.deepEqual([user, role, rooms, jobs], ["ada", "user", ["lab"], null]);
  assert.ok(Math.abs(Date.parse(expires_at) - clock.now() - 12 * hours) < 60_000);
  assert.match(csrf, /^[\w-]{43}$/);
  assert.match(server.version, /^\d/);
  const { items } = (await admin.get("/nodes")).body;
  assert.equal(server.node_id, items[0].id);
  const cookie = session.headers.get("set-cookie") ?? "";
  assert.match(cookie, /^leadhand_[0-9a-f]{8}=lhs_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/);
  assert.equal(session.headers.get("cache-control"), "no-store");
  assert.ok(!session.text.includes("lhs_"));
  assert.deepEqual((await send("GET", "/session")).body, session.body);
  assert.equal((await send("GET", "/me")).body.user, "ada");
});

test("what is shown wrongly lets nobody in", async () => {
  const session = (await signIn(scene, ada)).cookie.split("=")[1] as string;
  for (const token of ["lh_", `lh_${"A".repeat(43)}`, `${ada.token}x`, ` ${ada.token}`, "x y", "a.b.c", session]) {
    const refused = await knock(scene, { token });
    expectProblem(refused, "unauthorized");
    assert.equal(refused.headers.get("set-cookie"), null);
  }
  for (const code of ["x", `lhc_${"A".repeat(43)}`, ada.token])
    expectProblem(await knock(scene, { code }), "unauthorized");
  expectBadFields(await knock(scene, {}), "");
  expectBadFields(await knock(scene, { token: ada.token, code: "x" }), "");
  expectBadFields(await knock(scene, { token: 7 }), "/token");
  expectBadFields(await knock(scene, { code: "" }), "/code");
});

test("a session's secret is no token, and a token is no session", async () => {
  const { cookie } = await signIn(scene, ada);
  const [name, secret] = cookie.split("=") as [string, string];
  expectProblem(await scene.send("GET", "/v1/me", { token: secret }), "unauthorized");
  for (const header of [`${name}=${ada.token}`, `${name}=`, `${name}=${secret}x`, `x${name}=${secret}`]) {
    expectProblem(await scene.send("GET", "/v1/me", { headers: { cookie: header } }), "unauthorized");
  }
  expectProblem(await scene.send("GET", "/v1/me", { headers: { authorization: `cookie ${secret}` } }), "unauthorized");
});

test("a change by cookie needs its own csrf and comes from a page of ours; reading needs neither", async () => {
  const [one, other] = [await signIn(scene, ada), await signIn(scene, ada)];
  assert.notEqual(one.csrf, other.csrf);
  const job = { category: "modifiers", name: "Cookie" };
  const put = (headers: Record<string, string>) => one.send("PUT", "/rooms/lab/jobs", headers, job);
  expectProblem(await put({}), "forbidden", /X-Leadhand-Csrf/);
  for (const csrf of ["", "x", other.csrf, `${one.csrf}x`, one.csrf.toLowerCase()]) {
    expectProblem(await put({ "x-leadhand-csrf": csrf }), "forbidden", /X-Leadhand-Csrf/);
  }
  const csrf = { "x-leadhand-csrf": one.csrf };
  for (const origin of ["https://evil.example", "null", `${scene.url}0`, "file://", scene.url.replace("http", "ws")]) {
    expectProblem(await put({ ...csrf, origin }), "forbidden", /Origin/);
  }
  assert.equal((await put({ ...csrf, origin: scene.url })).status, 201);
  assert.equal((await put(csrf)).status, 200);
  assert.equal((await one.send("GET", "/workers", { origin: "https://evil.example" })).status, 200);
  const whole = await signIn(scene, admin);
  assert.equal((await scene.send("GET", "/metrics", { headers: { cookie: whole.cookie } })).status, 200);
});

test("where a token and a cookie are shown, the token counts", async () => {
  const { cookie, csrf } = await signIn(scene, ada);
  const both = (authorization: string) => scene.send("GET", "/v1/session", { headers: { cookie, authorization } });
  const { body } = await both(`Bearer ${admin.token}`);
  assert.deepEqual([body.user, body.role, body.csrf, body.expires_at], ["admin", "admin", null, null]);
  expectProblem(await both("Bearer lh_"), "unauthorized");
  const headers = { cookie, "x-leadhand-csrf": csrf, authorization: `Bearer ${ada.token}` };
  expectProblem(await scene.send("DELETE", "/v1/session", { headers }), "forbidden", /session/);
});

test("signing out ends the session at once, and takes its cookie away", async () => {
  const browser = await signIn(scene, ada);
  expectProblem(await browser.send("DELETE", "/session"), "forbidden");
  const ended = await browser.act("DELETE", "/session");
  assert.equal(ended.status, 204);
  assert.match(ended.headers.get("set-cookie") ?? "", /^leadhand_[0-9a-f]{8}=; .*Max-Age=0$/);
  expectProblem(await browser.send("GET", "/session"), "unauthorized", /revoked/);
  expectProblem(await browser.act("DELETE", "/session"), "unauthorized");
});

test("a page of another site signs nobody in", async () => {
  for (const origin of ["https://evil.example", "null"])
    expectProblem(await knock(scene, ada, { origin }), "forbidden");
  assert.equal((await knock(scene, ada, { origin: scene.url })).status, 200);
});

test("a code signs in once, as whoever made it", async () => {
  const made = await ada.post("/session/codes");
  assert.equal(made.status, 201);
  assert.match(made.body.code, /^lhc_[\w-]{43}$/);
  assert.ok(Math.abs(Date.parse(made.body.expires_at) - clock.now() - 600_000) < 60_000);
  expectProblem(await scene.send("GET", "/v1/me", { token: made.body.code }), "unauthorized");
  const { session } = await signIn(scene, made.body);
  assert.deepEqual([session.body.user, session.body.rooms], ["ada", ["lab"]]);
  expectProblem(await knock(scene, made.body), "unauthorized", /once/);
  expectProblem(await scene.stranger.post("/session/codes"), "unauthorized");
});

test("codes of a session make sessions that end with it, and not for ever", async () => {
  const browsers = [await signIn(scene, ada)];
  for (;;) {
    const last = browsers.at(-1) as (typeof browsers)[number];
    const made = await last.act("POST", "/session/codes");
    if (made.status !== 201) {
      expectProblem(made, "forbidden", /too many/);
      break;
    }
    browsers.push(await signIn(scene, made.body));
  }
  assert.ok(browsers.length > 2 && browsers.length < 10, `${browsers.length} in a row`);
  const ends = browsers.map(({ session }) => session.body.expires_at);
  assert.equal(new Set(ends).size, 1, "none lives longer than the first");
  await browsers[0]?.act("DELETE", "/session");
  for (const { send } of browsers) expectProblem(await send("GET", "/session"), "unauthorized");
});

test("a session of a JWT ends with it, also by way of a code", async () => {
  const exp = Math.floor(clock.now() / 1_000) + 3_600;
  const key = new TextEncoder().encode(jwtSecret);
  const token = await new SignJWT({ sub: "grace", exp }).setProtectedHeader({ alg: "HS256" }).sign(key);
  const { body } = await scene.send("POST", "/v1/session/codes", { token });
  for (const shown of [{ token }, { code: body.code }]) {
    const { session } = await signIn(scene, shown);
    assert.deepEqual([session.body.user, Date.parse(session.body.expires_at)], ["grace", exp * 1_000]);
  }
  const own = await scene.send("GET", "/v1/session", { token });
  assert.deepEqual([own.body.csrf, Date.parse(own.body.expires_at)], [null, exp * 1_000]);
});

test("what is done in a session is audited under its id", async () => {
  const browser = await signIn(scene, admin);
  assert.equal((await browser.act("POST", "/queues/nightly/pause", {})).status, 200);
  const { items } = (await admin.get("/audit?action=queue.pause")).body;
  const secret = browser.cookie.split("=")[1] as string;
  assert.deepEqual([items[0].actor, items[0].token_id], ["admin", idOf(hashOf(secret))]);
});
