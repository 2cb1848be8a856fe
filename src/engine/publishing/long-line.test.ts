import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrokerWorld, brokerQueues, brokerWorld } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { settled } from "../../testing/world.ts";

/** A broker that takes a while for each batch, and whose consumers are as quick as it is. */
async function busyWorld() {
  const inner = fakeCourier({ queues: [...brokerQueues.keys()] });
  const told = new Set<string>();
  const busy: { world?: BrokerWorld } = {};
  const courier: typeof inner = {
    ...inner,
    async publish(queue, bodies) {
      const { clock } = busy.world as BrokerWorld;
      await new Promise<void>((resolve) => void clock.alarm(clock.now() + 200, resolve));
      const answers = await inner.publish(queue, bodies);
      if (inner.isUp()) for (const body of bodies) told.add(JSON.parse(body).job_id);
      inner.purge(queue);
      return answers;
    },
  };
  busy.world = await brokerWorld({ courier });
  return { w: busy.world, courier: inner, told };
}

test("what becomes ready in another lane is told of soon, however long a line is being told", async () => {
  const { w, courier, told } = await busyWorld();
  const [long, other] = [await w.job("@global:modifiers:Long"), await w.job("@global:modifiers:Other")];
  await w.pass(2_000);
  courier.down();
  const count = 30_000;
  for (let n = 0; n < count; n += 1_000) await w.submitted(long, 1_000);
  await w.pass(7_000);
  const { card } = await w.submit(other, { queue: "jobs", runAt: w.clock.now() + 1_000 });
  courier.up();
  for (let ms = 0; ms < 4_000; ms += 100) {
    w.clock.advance(100);
    await settled(40);
  }
  assert.ok(told.has(card.id));
  assert.ok(told.size < count, "the long line is not through");
  await w.stop();
});
