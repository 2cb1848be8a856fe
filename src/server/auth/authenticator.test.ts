import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { aToken } from "../../testing/builders.ts";
import { manualClock, worldStart } from "../../testing/manual-clock.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { systemSecret } from "../system.ts";
import { apiToken, hashOf, idOf } from "./api-token.ts";
import { type Authenticated, type AuthenticatorOptions, authenticator } from "./authenticator.ts";

const noJwts = { jwtSecret: null, jwksUrl: null, jwtAudience: null, jwtSuperuserClaim: "su" };

/** A store that counts the questions, and in which tokens can be put. */
function scene(options: Partial<AuthenticatorOptions> = {}) {
  const store = memoryStore();
  const clock = manualClock();
  const log = recordedLog();
  let asked = 0;
  const read: Store["read"] = (kind, query) => {
    asked += 1;
    return store.read(kind, query);
  };
  const door = authenticator({ store: { read }, clock, log, config: noJwts, ...options });
  return {
    ...{ clock, log, door, asked: () => asked },
    async put(token: string, about: Partial<TokenRecord> = {}): Promise<void> {
      const hash = hashOf(token);
      const record = aToken({ id: idOf(hash), hash, ...about });
      await store.amend({}, () => ({ answer: null, tokens: [record] }));
    },
  };
}

function isRefused(answer: Authenticated, why = /is not valid/): void {
  assert(answer instanceof Problem, "it was let in");
  assert.deepEqual([answer.code, answer.status], ["unauthorized", 401]);
  assert.match(answer.message, why);
}

test("a token that was made lets in as whom it was made for, with its limits", async () => {
  const { door, put } = scene();
  const token = apiToken(systemSecret());
  await put(token, { user: "ada", role: "viewer", rooms: ["a"], jobs: ["a:*"] });
  const id = idOf(hashOf(token));
  const ada: Principal = { user: "ada", role: "viewer", rooms: ["a"], jobs: ["a:*"], token: id };
  assert.deepEqual(await door.authenticate(`Bearer ${token}`), ada);
});

test("the second answer comes at once and costs no look into the database", async () => {
  const { door, put, asked } = scene();
  const token = apiToken(systemSecret());
  await put(token);
  const first = await door.authenticate(`Bearer ${token}`);
  assert.equal(door.authenticate(`Bearer ${token}`), first);
  assert.equal(asked(), 1);
});

test("the word Bearer may be written in any case, the token may not", async () => {
  const { door, put } = scene();
  const token = apiToken(systemSecret());
  await put(token);
  for (const word of ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer  "]) {
    const answer = await door.authenticate(`${word} ${token}`);
    assert(!(answer instanceof Problem), word);
  }
  const swapped = token.slice(3).replace(/[a-z]/i, (c) => (c < "a" ? c.toLowerCase() : c.toUpperCase()));
  for (const other of [`lh_${swapped}`, token.toUpperCase(), token.slice(0, -1), `${token}=`, `${token}a`]) {
    isRefused(await door.authenticate(`Bearer ${other}`));
  }
});

test("whoever shows no token is told how", async () => {
  const { door, asked } = scene();
  const token = apiToken(systemSecret());
  const headers = [undefined, "", "Bearer", "Bearer ", "Basic YTpi", token, `Token ${token}`, `Bearer${token}`];
  for (const header of [...headers, `Bearer ${token} ${token}`, `Bearer "${token}"`, ` Bearer ${token}`]) {
    isRefused(await door.authenticate(header), /Authorization: Bearer/);
  }
  assert.equal(asked(), 0);
});

test("a header of ten kilobytes is refused without a look", async () => {
  const { door, asked } = scene();
  isRefused(await door.authenticate(`Bearer ${"a".repeat(10_240)}`));
  isRefused(await door.authenticate(`Bearer ${"a".repeat(5_000)}.${"b".repeat(5_000)}.c`));
  isRefused(await door.authenticate(`Bearer ${"a".repeat(5_000)}`));
  assert.equal(asked(), 0);
});

test("a token ends at its time, remembered or not", async () => {
  const { door, put, clock } = scene();
  const token = apiToken(systemSecret());
  await put(token, { expiresAt: worldStart + 3_000 });
  assert(!((await door.authenticate(`Bearer ${token}`)) instanceof Problem));
  clock.advance(2_999);
  assert(!(door.authenticate(`Bearer ${token}`) instanceof Problem));
  clock.advance(1);
  isRefused(await door.authenticate(`Bearer ${token}`), /has expired/);
});

test("a revoked token is refused within five seconds everywhere, and at once where it is known", async () => {
  const { door, put, clock } = scene();
  const token = apiToken(systemSecret());
  const header = `Bearer ${token}`;
  await put(token);
  await door.authenticate(header);
  clock.advance(4_999);
  await put(token, { revokedAt: clock.now() });
  assert(!((await door.authenticate(header)) instanceof Problem));
  clock.advance(1);
  isRefused(await door.authenticate(header), /was revoked/);

  const other = scene();
  await other.put(token);
  await other.door.authenticate(header);
  await other.put(token, { revokedAt: other.clock.now() });
  other.door.forget();
  isRefused(await other.door.authenticate(header), /was revoked/);
});

test("a check that was under way when all was forgotten is not remembered", async () => {
  const { door, put, asked } = scene();
  const token = apiToken(systemSecret());
  await put(token);
  const answer = door.authenticate(`Bearer ${token}`);
  door.forget();
  await answer;
  await door.authenticate(`Bearer ${token}`);
  assert.equal(asked(), 2);
});

test("an unknown token is remembered as such, and let in within five seconds after it is made", async () => {
  const { door, put, clock, asked } = scene();
  const token = apiToken(systemSecret());
  isRefused(await door.authenticate(`Bearer ${token}`));
  for (let n = 0; n < 10; n += 1) isRefused(await door.authenticate(`Bearer ${token}`));
  assert.equal(asked(), 1);
  await put(token);
  clock.advance(5_000);
  assert(!((await door.authenticate(`Bearer ${token}`)) instanceof Problem));
});

test("requests with one token share one look into the database", async () => {
  const { door, put, asked } = scene();
  const token = apiToken(systemSecret());
  await put(token);
  const answers = await Promise.all(Array.from({ length: 100 }, () => door.authenticate(`Bearer ${token}`)));
  assert.equal(new Set(answers).size, 1);
  assert.equal(asked(), 1);
});

test("a flood of invented tokens is turned away beyond a bound, and those who are known pass", async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const store = memoryStore();
  const read: Store["read"] = async (kind, query) => {
    await new Promise<void>((go) => {
      waiting.push(go);
      most = Math.max(most, waiting.length);
    });
    return store.read(kind, query);
  };
  const { door } = scene({ store: { read } });
  const good = apiToken(systemSecret());
  const hash = hashOf(good);
  await store.amend({}, () => ({ answer: null, tokens: [aToken({ hash })] }));
  const first = door.authenticate(`Bearer ${good}`);
  waiting.shift()?.();
  await first;

  const flood = Array.from({ length: 5_000 }, () => door.authenticate(`Bearer ${apiToken(systemSecret())}`));
  const turnedAway = flood.filter((answer) => answer instanceof Problem) as Problem[];
  assert.equal(turnedAway.length, 5_000 - 1_016);
  assert.deepEqual([turnedAway[0]?.code, turnedAway[0]?.retryAfterSeconds], ["rate-limited", 1]);
  assert(!(door.authenticate(`Bearer ${good}`) instanceof Problem));
  const over = Promise.all(flood);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!isOver) {
    waiting.shift()?.();
    await new Promise(setImmediate);
  }
  assert.equal(most, 16, "so many looks at a time and no more");
});

test("a database that is away is a 503, which is not remembered", async () => {
  let away = true;
  const store = memoryStore();
  const read: Store["read"] = (kind, query) =>
    away ? Promise.reject(new Problem("store-unavailable", "Away")) : store.read(kind, query);
  const { door } = scene({ store: { read } });
  const token = apiToken(systemSecret());
  const answer = await door.authenticate(`Bearer ${token}`);
  assert(answer instanceof Problem && answer.code === "store-unavailable");
  away = false;
  isRefused(await door.authenticate(`Bearer ${token}`));
});

test("a mistake of ours is thrown, not answered", async () => {
  const read: Store["read"] = () => Promise.reject(new TypeError("bug"));
  const { door } = scene({ store: { read } });
  await assert.rejects(async () => door.authenticate(`Bearer ${apiToken(systemSecret())}`), /bug/);
});

test("no token reaches the log", async () => {
  const { door, put, log } = scene();
  const token = apiToken(systemSecret());
  await put(token, { revokedAt: 1 });
  await door.authenticate(`Bearer ${token}`);
  assert.doesNotMatch(JSON.stringify(log.lines), /lh_/);
});
