// Tokens over REST: made, listed and revoked by superusers, and by nobody else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";
import { signIn } from "./signed-in.ts";

const scene = await restScene();
const { admin } = scene;

test("a token that a superuser makes is good at once, with its limits, and is shown once", async () => {
  const words = { name: "nightly", user: "ada", role: "user", rooms: ["lab"], jobs: ["lab:*"], expires_seconds: 3_600 };
  const { status, body } = await admin.post("/tokens", words);
  assert.equal(status, 201);
  const { token, ...listed } = body;
  assert.match(token, /^lh_[\w-]{43}$/);
  const { id, created_at, expires_at, ...rest } = listed;
  assert.deepEqual(rest, {
    ...{ kind: "api", name: "nightly", user: "ada", role: "user", rooms: ["lab"], jobs: ["lab:*"] },
    ...{ revoked_at: null, parent_id: null },
  });
  assert.ok(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - 3_600_000) < 5_000);
  const me = await scene.send("GET", "/v1/me", { token });
  assert.deepEqual(me.body, { user: "ada", role: "user", rooms: ["lab"], jobs: ["lab:*"] });
  const page = (await admin.get("/tokens")).body;
  assert.deepEqual([page.items[0], page.total], [listed, 2]);
  assert.doesNotMatch(JSON.stringify(page), /lh_|hash/);
  const { items } = (await admin.get(`/audit?target=${id}`)).body;
  assert.deepEqual([items[0].action, items[0].actor, items[0].token_id], ["token.create", "admin", page.items[1].id]);
  assert.doesNotMatch(JSON.stringify(items), /lh_/);
});

test("what a token cannot be is refused, with the field", async () => {
  for (const [words, pointer] of [
    [{ role: "user" }, "/user"],
    [{ user: "", role: "user" }, "/user"],
    [{ user: "ada" }, "/role"],
    [{ user: "ada", role: "root" }, "/role"],
    [{ user: "ada", role: "admin", rooms: ["lab"] }, "/role"],
    [{ user: "ada", role: "user", rooms: [] }, "/rooms"],
    [{ user: "ada", role: "user", jobs: [""] }, "/jobs"],
    [{ user: "ada", role: "user", expires_seconds: 0 }, "/expires_seconds"],
    [{ user: "ada", role: "user", expires_seconds: 1.5 }, "/expires_seconds"],
  ] as const) {
    expectBadFields(await admin.post("/tokens", words), pointer);
  }
  expectBadFields(await admin.get("/tokens?kind=code"), "/query/kind");
});

test("a token that is revoked is refused at once, with the sessions that came of it", async () => {
  const { body } = await admin.post("/tokens", { user: "bob", role: "viewer" });
  const { send, session } = await signIn(scene, body);
  const found = (await admin.get("/tokens?kind=session")).body.items[0];
  assert.deepEqual([found.kind, found.user, found.parent_id], ["session", "bob", body.id]);
  assert.equal(found.expires_at, session.body.expires_at);
  assert.equal((await admin.delete(`/tokens/${body.id}`)).status, 204);
  expectProblem(await scene.send("GET", "/v1/me", { token: body.token }), "unauthorized", /revoked/);
  expectProblem(await send("GET", "/me"), "unauthorized", /revoked/);
  const [first] = (await admin.get("/tokens?limit=1")).body.items;
  assert.notEqual(first.revoked_at, null);
  assert.equal((await admin.delete(`/tokens/${body.id}`)).status, 204, "twice is once");
  assert.equal((await admin.get("/tokens?limit=1")).body.items[0].revoked_at, first.revoked_at);
  expectProblem(await admin.delete("/tokens/0123456789abcdef"), "token-not-found");
});

test("one session can be ended by a superuser, and others of the same token go on", async () => {
  const ada = await scene.caller("ada");
  const browsers = [await signIn(scene, ada), await signIn(scene, ada)];
  const [last] = (await admin.get("/tokens?kind=session&limit=1")).body.items;
  assert.equal((await admin.delete(`/tokens/${last.id}`)).status, 204);
  const statuses = await Promise.all(browsers.map(async ({ send }) => (await send("GET", "/session")).status));
  assert.deepEqual(statuses.sort(), [200, 401]);
  assert.equal((await ada.get("/me")).status, 200);
});

test("nobody but superusers sees, makes or revokes tokens, by session neither", async () => {
  const callers = [await scene.caller("ada"), await scene.caller("eve", { role: "viewer" })];
  const { id } = (await admin.get("/tokens?limit=1")).body.items[0];
  for (const caller of callers) {
    expectProblem(await caller.get("/tokens"), "forbidden");
    expectProblem(await caller.post("/tokens", { user: "ada", role: "admin" }), "forbidden");
    expectProblem(await caller.delete(`/tokens/${id}`), "forbidden");
    const browser = await signIn(scene, caller);
    expectProblem(await browser.act("POST", "/tokens", { user: "ada", role: "admin" }), "forbidden", /superuser/);
  }
  const browser = await signIn(scene, admin);
  assert.equal((await browser.act("POST", "/tokens", { user: "ada", role: "admin" })).status, 201);
});
