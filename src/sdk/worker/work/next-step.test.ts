import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerProblem } from "../../problem.ts";
import { nextStep, type Step } from "./next-step.ts";

const cut = { type: "failed", why: "cut" } as const;
const refused = { type: "refused", status: 404 } as const;
const closed = (code: number) => ({ type: "closed", code, reason: "" }) as const;
const delay = (step: Step): number => ("afterMs" in step ? step.afterMs : Number.NaN);

test("a worker comes back after half a second, then later and later, but soon while it has tasks", () => {
  const idle = nextStep(() => 0.999_999);
  const waits = Array.from({ length: 7 }, () => Math.round(delay(idle.after(cut, false))));
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  assert.equal(Math.round(delay(idle.after(cut, true))), 2_000);
  idle.welcomed();
  assert.equal(Math.round(delay(idle.after(cut, false))), 500);
  const lucky = nextStep(() => 0);
  assert.equal(delay(lucky.after(cut, false)), 250);
});

test("a server that goes away in good order is looked for soon, but not again and again", () => {
  const steps = nextStep(() => 0.5);
  steps.welcomed();
  assert.deepEqual(steps.after(closed(1001), false), { type: "again", afterMs: 500 });
  assert.equal(delay(steps.after(closed(1001), false)), 375);
  assert.equal(delay(steps.after(closed(1001), false)), 750);
});

test("two upgrades in a row that are refused are enough, once one was welcomed ten, and never with tasks", () => {
  const steps = nextStep(() => 0);
  assert.equal(steps.after(refused, false).type, "again");
  assert.equal(steps.after(cut, false).type, "again");
  assert.equal(steps.after(refused, false).type, "again");
  assert.equal(steps.after(refused, true).type, "again");
  assert.equal(steps.after(refused, false).type, "without");
  steps.welcomed();
  const types = Array.from({ length: 10 }, () => steps.after(refused, false).type);
  assert.deepEqual(types, [...Array(9).fill("again"), "without"]);
});

test("a token is renewed once, and five messages in a row that are not understood are enough", () => {
  const steps = nextStep(() => 0);
  assert.equal(steps.after(closed(4401), false).type, "renew");
  const last = steps.after(closed(4401), false);
  assert.ok(last.type === "give up" && last.error instanceof ServerProblem && last.error.status === 401);
  steps.welcomed();
  assert.equal(steps.after(closed(4401), false).type, "renew");
  for (let time = 1; time < 5; time += 1) assert.equal(steps.after(closed(4400), false).type, "again");
  assert.equal(steps.after(cut, false).type, "again");
  for (let time = 1; time < 5; time += 1) assert.equal(steps.after(closed(4400), false).type, "again");
  assert.equal(steps.after(closed(4400), false).type, "give up");
  assert.equal(steps.after(closed(4408), true).type, "again");
});

test("a worker that somebody else goes on as ends, unless it may have been itself, by a connection that broke", () => {
  const steps = nextStep(() => 0);
  assert.equal(steps.after(cut, false).type, "again");
  steps.welcomed();
  assert.equal(steps.after(closed(4409), true).type, "give up");
  steps.welcomed();
  assert.equal(steps.after(cut, true).type, "again");
  assert.equal(steps.after(cut, true).type, "again");
  steps.welcomed();
  assert.equal(steps.after(closed(4409), true).type, "again");
  steps.welcomed();
  assert.equal(steps.after(closed(4409), true).type, "give up");
});

test("a connection that ended without a word may still be heard, one that was closed in good order is not", () => {
  const steps = nextStep(() => 0);
  steps.welcomed();
  assert.equal(steps.after(closed(1006), true).type, "again");
  assert.equal(steps.after(closed(1006), true).type, "again");
  steps.welcomed();
  assert.equal(steps.after(closed(4409), true).type, "again");
  assert.equal(steps.after(closed(1001), true).type, "again");
  steps.welcomed();
  assert.equal(steps.after(closed(4409), true).type, "give up");
});
