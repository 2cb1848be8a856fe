import assert from "node:assert/strict";
import { test } from "node:test";
import { courierContract } from "./courier-contract.ts";
import { type FakeCourier, fakeCourier } from "./fake-courier.ts";

let made = 0;
let courier = fakeCourier();

courierContract("fake courier", {
  async open(queues) {
    courier = fakeCourier({ queues });
    return courier;
  },
  queue() {
    made += 1;
    return `queue-${made}`;
  },
  async taken(queue) {
    const bodies = courier.waiting(queue);
    courier.purge(queue);
    return bodies;
  },
  forget: async (queue) => courier.purge(queue),
  cut: (cut) => (cut as FakeCourier).down(),
  mend: (cut) => (cut as FakeCourier).up(),
});

test("the fake courier loses, refuses and doubles as it is told, and then carries on", async () => {
  const fake = fakeCourier();
  await fake.start();
  fake.fate("lose", 1);
  fake.fate("refuse", 1);
  fake.fate("unheard", 1);
  fake.fate("double", 1);
  assert.deepEqual(await fake.publish("q", ["1", "2", "3", "4", "5"]), [true, false, false, true, true]);
  assert.deepEqual(fake.waiting("q"), ["3", "4", "4", "5"]);
});

test("the fake courier holds its answers until it is let go", async () => {
  const fake = fakeCourier();
  await fake.start();
  fake.hold();
  let answered = false;
  const answer = fake.publish("q", ["1"]).finally(() => (answered = true));
  await new Promise(setImmediate);
  assert.deepEqual([fake.take("q"), answered], ["1", false]);
  fake.go();
  assert.deepEqual(await answer, [true]);
});
