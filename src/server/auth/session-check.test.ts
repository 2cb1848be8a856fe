import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import { generationsMax } from "../../core/session.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { aToken } from "../../testing/builders.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { systemSecret } from "../system.ts";
import { hashOf, idOf, tokenText } from "./api-token.ts";
import { authenticator } from "./authenticator.ts";
import { requestLimit } from "./request-limit.ts";

function scene() {
  const store = memoryStore();
  const clock = manualClock();
  let asked = 0;
  const read: Store["read"] = (kind, query) => {
    asked += 1;
    return store.read(kind, query);
  };
  const config = { jwtSecret: null, jwksUrl: null, jwtAudience: null, jwtSuperuserClaim: "su" };
  const door = authenticator({ store: { read }, clock, log: recordedLog(), config });
  return {
    ...{ clock, door, asked: () => asked },
    /** Answers the secret. */
    async put(about: Partial<TokenRecord>, looks = about.kind ?? "api"): Promise<string> {
      const secret = tokenText(looks, systemSecret());
      const hash = hashOf(secret);
      const token = aToken({ id: idOf(hash), hash, ...about });
      await store.amend({}, () => ({ answer: null, tokens: [token] }));
      return secret;
    },
  };
}

const isIn = (answer: unknown): boolean => !(answer instanceof Problem);

test("the second look at a session comes at once; after a while it is looked at again, with all that it came of", async () => {
  const { door, put, asked, clock } = scene();
  await put({ id: "root" });
  const secret = await put({ id: "s", kind: "session", parent: "root" });
  const first = await door.session(secret);
  assert.ok(isIn(first));
  assert.equal(door.session(secret), first);
  assert.equal(asked(), 2);
  await put({ id: "root", revokedAt: clock.now() });
  clock.advance(5_000);
  assert.ok(!isIn(await door.session(secret)));
});

test("sessions are counted with the token they came of, and those of no token with their user", async () => {
  const { door, put, clock } = scene();
  const token = await put({ id: "root", user: "ada" });
  await put({ id: "s1", kind: "session", parent: "root", user: "ada" });
  const later = await put({ id: "s2", kind: "session", parent: "s1", user: "ada" });
  const limit = requestLimit(1, clock);
  const admit = (answer: Principal | Problem) => limit.admit(answer as Principal)?.code ?? null;
  assert.equal(admit(await door.session(later)), null);
  assert.equal(admit(await door.authenticate(`Bearer ${token}`)), "rate-limited");
  const own = await put({ id: "s3", kind: "session", user: "bob" });
  assert.equal(admit(await door.session(own)), null);
  assert.equal(limit.admit({ user: "bob", token: null })?.code, "rate-limited");
});

test("what is remembered of a cookie lets in no header, whatever it says", async () => {
  const { door, put } = scene();
  const secret = await put({ kind: "session" });
  await door.session(secret);
  for (const header of [`Bearer ${secret}`, `cookie ${secret}`, secret]) {
    assert.ok(!isIn(await door.authenticate(header)), header);
  }
});

test("a token is good for its own door alone, whatever it looks like", async () => {
  for (const kind of ["api", "session", "code"] as const) {
    const { door, put } = scene();
    const asToken = await door.authenticate(`Bearer ${await put({ kind }, "api")}`);
    assert.equal(isIn(asToken), kind === "api", `${kind} as a token`);
    const asSession = await door.session(await put({ id: "t9", kind }, "session"));
    assert.equal(isIn(asSession), kind === "session", `${kind} as a session`);
  }
});

test("a session whose line is broken, or longer than anybody looks, is no good", async () => {
  const { door, put } = scene();
  assert.ok(!isIn(await door.session(await put({ kind: "session", parent: "nobody" }))));
  let [parent, secret] = ["root", await put({ id: "root" })];
  for (let n = 0; n <= generationsMax; n += 1) {
    secret = await put({ id: `s${n}`, kind: "session", parent });
    parent = `s${n}`;
    assert.equal(isIn(await door.session(secret)), n < generationsMax, `after ${n} others`);
  }
  assert.ok(!isIn(await door.session(await put({ id: "own", kind: "session", parent: "own" }))), "nor one of itself");
});

test("a session is remembered no longer than what it came of lasts", async () => {
  const { door, put, clock } = scene();
  await put({ id: "root", expiresAt: clock.now() + 1_000 });
  const secret = await put({ kind: "session", parent: "root", expiresAt: clock.now() + 60_000 });
  assert.ok(isIn(await door.session(secret)));
  clock.advance(1_000);
  assert.ok(!isIn(await door.session(secret)));
});
