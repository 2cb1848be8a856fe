import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { tokenState } from "../../core/session.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { aToken } from "../../testing/builders.ts";
import { manualClock, worldStart } from "../../testing/manual-clock.ts";
import { systemSecret } from "../system.ts";
import { hashOf, isApiToken } from "./api-token.ts";
import { checkTokenRequest, type TokenRequest } from "./token-request.ts";
import { allTokens, issueToken, revokeToken } from "./tokens.ts";

const keeper = () => ({ store: memoryStore(), clock: manualClock(), secret: systemSecret });

function aRequest(about: Partial<TokenRequest> = {}): TokenRequest {
  return { user: "ada", role: "user", name: null, rooms: null, jobs: null, expiresAt: null, ...about };
}

test("a new token is told once; what is kept is its hash, and its id follows from that", async () => {
  const world = keeper();
  const limits = { name: "nightly", rooms: ["a"], jobs: ["a:*"], expiresAt: worldStart + 1 };
  const { token, record } = await issueToken(world, aRequest(limits));
  assert(isApiToken(token));
  const hash = hashOf(token);
  const kept = { ...aToken({ id: hash.slice(0, 16), hash }), ...limits };
  assert.deepEqual(record, kept);
  assert.deepEqual(await world.store.read("token", { hash }), kept);
  assert.doesNotMatch(JSON.stringify(await allTokens(world.store)), new RegExp(token.slice(3)));
});

test("no two tokens are alike", async () => {
  const world = keeper();
  const issued = await Promise.all(Array.from({ length: 1_001 }, () => issueToken(world, aRequest())));
  assert.equal(new Set(issued.map(({ token }) => token)).size, 1_001);
  assert.equal((await allTokens(world.store)).length, 1_001, "all pages of the list");
});

test("a token is revoked at a time, and a second revocation changes nothing", async () => {
  const world = keeper();
  const { record } = await issueToken(world, aRequest());
  world.clock.advance(5);
  const revoked = await revokeToken(world, record.id);
  assert.equal(revoked?.revokedAt, worldStart + 5);
  world.clock.advance(5);
  assert.deepEqual(await revokeToken(world, record.id), revoked);
  assert.equal(await revokeToken(world, "unknown"), null);
});

test("a token is active until it has expired or was revoked", () => {
  const token = aToken({ expiresAt: 10 });
  assert.deepEqual(
    [9, 10].map((now) => tokenState(token, now)),
    ["active", "expired"],
  );
  assert.equal(tokenState({ ...token, revokedAt: 1 }, 99), "revoked");
  assert.equal(tokenState(aToken(), Number.MAX_SAFE_INTEGER), "active");
});

test("a request that makes no sense is refused by the name of its field, and nothing is made", async () => {
  const world = keeper();
  const bad: [Partial<TokenRequest>, RegExp][] = [
    [{ user: "" }, /\/user/],
    [{ user: "é".repeat(128) }, /\/user/],
    [{ user: "a\u0000" }, /\/user/],
    [{ role: "root" as never }, /\/role/],
    [{ name: "x".repeat(256) }, /\/name/],
    [{ rooms: [] }, /\/rooms/],
    [{ rooms: ["a:b"] }, /Room id/],
    [{ rooms: ["@other"] }, /Room id/],
    [{ rooms: Array.from({ length: 101 }, (_, n) => `${n}`) }, /\/rooms has 101/],
    [{ jobs: [] }, /\/jobs/],
    [{ jobs: ["a:*", ""] }, /\/jobs/],
    [{ jobs: ["x".repeat(256)] }, /\/jobs/],
    [{ role: "admin", rooms: ["a"] }, /\/role/],
    [{ role: "admin", jobs: ["*"] }, /\/role/],
    [{ expiresAt: worldStart }, /\/expires_at/],
  ];
  for (const [about, why] of bad) {
    await assert.rejects(issueToken(world, aRequest(about)), (error) => {
      assert(error instanceof Problem);
      assert.match(error.message, why);
      return true;
    });
  }
  assert.deepEqual(await allTokens(world.store), []);
  checkTokenRequest(aRequest({ rooms: ["@global", "a"], jobs: ["*"], role: "viewer" }), worldStart);
});
