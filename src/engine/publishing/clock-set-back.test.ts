import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerWorld } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";

/** What was to ring in a minute still does, whatever time it is then. */
function clockThatIsSet(): ManualClock & { setBack(ms: number): void } {
  const clock = manualClock();
  let offset = 0;
  return {
    ...clock,
    now: () => clock.now() + offset,
    alarm: (at, ring) => clock.alarm(at - offset, ring),
    setBack(ms) {
      offset -= ms;
    },
  };
}

test("a clock that is set back by ten minutes keeps nobody from looking for what was left over", async () => {
  const clock = clockThatIsSet();
  const w = await brokerWorld({ clock });
  const job = await w.job();
  await w.submitted(job);
  await w.pass(10_000);
  clock.setBack(600_000);
  w.courier.fate("refuse", 1);
  const [id] = (await w.submitted(job)) as [string];
  await w.pass(10_000);
  assert.equal(w.waiting().at(-1), id);
  await w.stop();
});

test("a clock that is set back keeps nobody from asking how full a queue is", async () => {
  const clock = clockThatIsSet();
  const courier = fakeCourier();
  const w = await brokerWorld({ clock, courier, settings: { unconsumedMax: 4 } });
  const job = await w.job();
  await w.submitted(job, 2);
  assert.equal(w.waiting().length, 2);
  clock.setBack(600_000);
  courier.purge("jobs");
  const ids = await w.submitted(job, 2);
  assert.deepEqual(w.waiting(), ids);
  await w.stop();
});
