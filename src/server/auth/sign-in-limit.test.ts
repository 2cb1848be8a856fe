import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { signInLimit } from "./sign-in-limit.ts";

const ada = { user: "ada", token: "t1" };

test("of one token come so many sessions and codes, by whatever session of it, and then one in two seconds", () => {
  const clock = manualClock();
  const limit = signInLimit(clock);
  for (let nth = 0; nth < 100; nth += 1) limit.made(ada);
  for (let nth = 0; nth < 100; nth += 1) limit.made({ user: "ada", token: `s${nth}`, countedWith: "t1" });
  assert.throws(() => limit.made(ada), { code: "rate-limited", retryAfterSeconds: 2 });
  limit.made({ user: "ada", token: "t2" });
  limit.made({ user: "ada", token: null });
  clock.advance(2_000);
  limit.made(ada);
  assert.throws(() => limit.made(ada), { code: "rate-limited" });
});
