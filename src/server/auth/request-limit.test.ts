import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { manualClock } from "../../testing/manual-clock.ts";
import { requestLimit } from "./request-limit.ts";

const ada = { user: "ada", token: "t1" };

test("without a limit everything is admitted and nothing remembered", () => {
  const limit = requestLimit(null, manualClock());
  for (let n = 0; n < 1_000; n += 1) assert.equal(limit.admit(ada), null);
  assert.equal(limit.size, 0);
});

test("a second's worth may come at once, the rest is refused with the time to wait", () => {
  const clock = manualClock();
  const limit = requestLimit(10, clock);
  for (let n = 0; n < 10; n += 1) assert.equal(limit.admit(ada), null);
  const refused = limit.admit(ada);
  assert.deepEqual([refused?.code, refused?.status, refused?.retryAfterSeconds], ["rate-limited", 429, 1]);
  clock.advance(99);
  assert.notEqual(limit.admit(ada), null);
  clock.advance(1);
  assert.equal(limit.admit(ada), null, "a tenth of a second is one request");
  assert.notEqual(limit.admit(ada), null, "and a refused one costs nothing");
});

test("one request a second is the least that can be allowed", () => {
  const clock = manualClock();
  const limit = requestLimit(1, clock);
  assert.equal(limit.admit(ada), null);
  assert.equal(limit.admit(ada)?.retryAfterSeconds, 1);
  clock.advance(1_000);
  assert.equal(limit.admit(ada), null);
});

test("tokens of one user are counted apart, and a user of JWTs apart from all tokens", () => {
  const limit = requestLimit(1, manualClock());
  const callers = [ada, { user: "ada", token: "t2" }, { user: "ada", token: null }, { user: "t1", token: null }];
  for (const caller of callers) assert.equal(limit.admit(caller), null);
  for (const caller of callers) assert.notEqual(limit.admit(caller), null);
});

test("any number of callers are counted in bounded memory, and the busy ones stay counted", () => {
  const limit = requestLimit(1, manualClock());
  limit.admit(ada);
  for (let n = 0; n < 30_000; n += 1) {
    limit.admit({ user: `${n}`, token: null });
    if (n % 1_000 === 0) assert.notEqual(limit.admit(ada), null);
  }
  assert.equal(limit.size, 10_000);
});

test("over any stretch of time no more pass than a second's worth and the rate allow", () => {
  const pauses = fc.array(fc.nat(300), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), pauses, (perSecond, given) => {
      const clock = manualClock();
      const limit = requestLimit(perSecond, clock);
      const passed: number[] = [];
      for (const ms of given) {
        clock.advance(ms);
        if (limit.admit(ada) === null) passed.push(clock.now());
      }
      for (const [from, at] of passed.entries()) {
        for (const [to, end] of passed.entries()) {
          if (to >= from) assert(to - from + 1 <= perSecond * (1 + (end - at) / 1_000) + 0.01);
        }
      }
    }),
    { numRuns: 50 },
  );
});
