import assert from "node:assert/strict";
import { test } from "node:test";
import { ended, tally } from "./tally.ts";
import { countsText, summaryText } from "./texts.ts";

test("the wait is over when so many tasks have ended, however they ended", async () => {
  const counted = tally();
  let over = false;
  const waiting = counted.untilEnded(3).then(() => {
    over = true;
  });
  counted.add({ submitted: 3, completed: 1, retried: 5 });
  counted.add({ failed: 1 });
  await Promise.resolve();
  assert.equal(over, false);
  counted.add({ cancelled: 1 });
  await waiting;
  assert.equal(ended(counted.counts()), 3);
});

test("a wait for what has happened already is over at once", async () => {
  const counted = tally();
  counted.add({ completed: 2 });
  await counted.untilEnded(2);
});

test("the line of a demo in full swing fits a terminal of 80 columns", () => {
  const counted = tally();
  counted.add({ submitted: 10_000, completed: 7_429, failed: 63, cancelled: 280, held: 366 });
  const line = countsText(counted.counts(), 1);
  assert.equal(line, "completed 7,429  failed 63  cancelled 280  running 366  waiting 1,862  7,772/s");
  assert.ok(line.length < 80);
});

test("the summary ends with the verdict on the histories", () => {
  const counted = tally();
  counted.add({ submitted: 2, completed: 1, failed: 1, retried: 1 });
  const text = summaryText({ ...counted.counts(), seconds: 0.5, verified: 2, events: 8, faults: 1 });
  assert.match(text, /^4 tasks\/s, /m);
  assert.match(text, /\nverify: 2 tasks, 8 events, 1 fault$/);
});
