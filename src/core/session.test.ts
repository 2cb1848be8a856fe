import assert from "node:assert/strict";
import { test } from "node:test";
import { codeMs, sessionEnd, sessionKeys, sessionMsMax, tokenState } from "./session.ts";

const token = { kind: "session", createdAt: 0, expiresAt: sessionMsMax, revokedAt: null } as const;

test("a session ends with what it came of, and after twelve hours at the latest", () => {
  assert.equal(sessionEnd(5, null), 5 + sessionMsMax);
  assert.equal(sessionEnd(5, 7), 7);
  assert.equal(sessionEnd(5, 6 + sessionMsMax), 5 + sessionMsMax);
});

test("a code is over long before the session that it may become", () => {
  assert.deepEqual(
    [codeMs - 1, codeMs].map((now) => tokenState({ ...token, kind: "code" }, now)),
    ["active", "expired"],
  );
  assert.equal(tokenState(token, codeMs), "active");
  assert.equal(tokenState({ ...token, kind: "code", expiresAt: 3 }, 3), "expired");
  assert.equal(tokenState({ ...token, kind: "code", revokedAt: 0 }, codeMs), "revoked");
});

test("of two databases, and of two sessions, neither takes the other's", () => {
  const [one, two] = [sessionKeys("one"), sessionKeys("two")];
  assert.match(one.cookie, /^leadhand_[0-9a-f]{8}$/);
  assert.notEqual(one.cookie, two.cookie);
  assert.equal(one.isCsrf("s1", one.csrf("s1")), true);
  for (const given of ["", one.csrf("s2"), two.csrf("s1"), `${one.csrf("s1")} `, "é".repeat(43)]) {
    assert.equal(one.isCsrf("s1", given), false);
  }
});
