// How long a token is good, how often it may ask, and tokens that others sign.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SignJWT, UnsecuredJWT } from "jose";
import { hashOf, idOf } from "../../src/server/auth/api-token.ts";
import { issueToken, revokeToken } from "../../src/server/auth/tokens.ts";
import { readConfig } from "../../src/server/config.ts";
import { databaseOf } from "../../src/server/database.ts";
import { systemClock, systemSecret } from "../../src/server/system.ts";
import { type TokenStore, withTokens } from "../../src/server/token-database.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";

const jwtSecret = "a secret of at least thirty-two characters";
const clock = systemClock();

/** What the command line does: beside the running server, in its database. */
function withTokensOf<T>(data: string, work: (store: TokenStore) => Promise<T>): Promise<T> {
  const { config } = readConfig({ environment: {}, flags: { data } });
  return withTokens(databaseOf(config), recordedLog(), work);
}

function jwt(claims: Record<string, unknown>, secret = jwtSecret): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
}

test("a revoked token is refused after five seconds at the latest, also where it is in use", async () => {
  const scene = await restScene();
  const ada = await scene.caller("ada");
  assert.equal((await ada.get("/workers")).status, 200);
  const id = idOf(hashOf(ada.token));
  await withTokensOf(scene.data, (store) => revokeToken({ store, clock }, id));
  const latest = clock.now() + 5_000;
  await ada.get("/workers");
  await until("five seconds have passed", () => clock.now() >= latest, 6_000);
  const refused = await ada.get("/workers");
  expectProblem(refused, "unauthorized", /revoked/);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
});

test("a token that expires is good until then, and not a moment longer", async () => {
  const scene = await restScene();
  const expiresAt = clock.now() + 2_000;
  const words = { user: "ada", role: "user", rooms: null, jobs: null, name: null, expiresAt } as const;
  const { token } = await withTokensOf(scene.data, (store) =>
    issueToken({ store, clock, secret: systemSecret }, words),
  );
  assert.equal((await scene.send("GET", "/v1/workers", { token })).status, 200);
  await until("it has expired", () => clock.now() >= expiresAt);
  expectProblem(await scene.send("GET", "/v1/workers", { token }), "unauthorized", /expired/);
});

test("what is no token of ours is refused, whatever it looks like", async () => {
  const scene = await restScene();
  const { token } = scene.admin;
  for (const authorization of [
    ...["", "Bearer", "Bearer ", `Basic ${token}`, token, `Bearer ${token}x`, `Bearer ${token} ${token}`],
    ...["Bearer lh_", `Bearer lh_${"A".repeat(43)}`, `Bearer ${"x".repeat(9_000)}`, "Bearer a.b.c"],
    `Bearer ${await jwt({ sub: "ada" })}`,
  ]) {
    expectProblem(await scene.send("GET", "/v1/workers", { headers: { authorization } }), "unauthorized");
  }
  const inOtherCase = await scene.send("GET", "/v1/workers", { headers: { authorization: `bearer ${token}` } });
  assert.equal(inOtherCase.status, 200);
});

test("a token that asks too often is told when to come again, and others are not held up", async () => {
  const scene = await restScene({ "requests-per-second-max": "5" });
  const ada = await scene.caller("ada");
  const replies = await Promise.all(Array.from({ length: 20 }, () => ada.get("/workers")));
  const refused = replies.filter(({ status }) => status !== 200);
  assert.ok(refused.length > 0 && refused.length <= 15, `${refused.length} of 20 were refused`);
  for (const reply of refused) {
    expectProblem(reply, "rate-limited");
    assert.equal(reply.headers.get("retry-after"), "1");
  }
  assert.equal((await scene.admin.get("/workers")).status, 200);
  await until("the token may ask again", async () => (await ada.get("/workers")).status === 200);
});

test("a JWT signed with the secret speaks for its subject, and for a superuser where it says so", async () => {
  const scene = await restScene({ "jwt-secret": jwtSecret });
  const send = (token: string, method: string, path: string, body?: object) =>
    scene.send(method, `/v1${path}`, { token, ...(body && { body: JSON.stringify(body) }) });
  const ada = await jwt({ sub: "ada" });
  const job = { category: "modifiers", name: "X" };
  const { status, body } = await send(ada, "PUT", "/rooms/lab/jobs", job);
  assert.equal(status, 201);
  const beat = `/workers/${body.worker_id}`;
  assert.equal((await send(await jwt({ sub: "ada", jti: "another" }), "PATCH", beat)).status, 200);
  expectProblem(await send(await jwt({ sub: "bob" }), "PATCH", beat), "forbidden");
  expectProblem(await send(ada, "PUT", "/rooms/@global/jobs", job), "forbidden");
  for (const su of ["true", 1, {}, false, null]) {
    expectProblem(await send(await jwt({ sub: "ada", su }), "PUT", "/rooms/@global/jobs", job), "forbidden");
  }
  const superuser = await jwt({ sub: "root", su: true });
  assert.equal((await send(superuser, "PUT", "/rooms/@global/jobs", job)).status, 201);
  assert.equal((await send(superuser, "DELETE", beat)).status, 204);
});

test("a JWT that is forged, unsigned, expired or for nobody is refused", async () => {
  const scene = await restScene({ "jwt-secret": jwtSecret, "jwt-audience": "leadhand" });
  const claims = { sub: "ada", aud: "leadhand" };
  const now = Math.floor(clock.now() / 1_000);
  const [header, , signature] = (await jwt(claims)).split(".") as [string, string, string];
  const changed = Buffer.from(JSON.stringify({ ...claims, su: true })).toString("base64url");
  for (const token of [
    await jwt(claims, "another secret of at least thirty-two characters"),
    new UnsecuredJWT(claims).encode(),
    `${header}.${changed}.${signature}`,
    await jwt({ ...claims, exp: now - 60 }),
    await jwt({ ...claims, nbf: now + 600 }),
    await jwt({ aud: "leadhand" }),
    await jwt({ ...claims, sub: "" }),
    await jwt({ sub: "ada" }),
    await jwt({ ...claims, aud: "others" }),
  ]) {
    expectProblem(await scene.send("GET", "/v1/workers", { token }), "unauthorized");
  }
  const good = await jwt({ ...claims, exp: now + 600, aud: ["others", "leadhand"] });
  assert.equal((await scene.send("GET", "/v1/workers", { token: good })).status, 200);
});
