import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { settled } from "../../testing/world.ts";

async function deferred(w: BrokerWorld, count: number): Promise<void> {
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: count, messages: messages(count) });
  await settled();
}

test("of very many lost messages the first are told before all are looked at, and what is left over does not wait", async () => {
  const database = Promise.withResolvers<void>();
  let looks = 0;
  const between = (store: Store): Store => ({
    ...store,
    async amend(scope, decide) {
      const isLook = (scope.marks ?? []).length > 0;
      if (isLook) looks += 1;
      if (isLook && looks === 51) await database.promise;
      return store.amend(scope, decide);
    },
  });
  const w = await brokerWorld({ between, settings: { republishAfterMs: 60_000, unconsumedMax: 20_000 } });
  const waiting = () => w.courier.waiting("batch").length;
  await deferred(w, 6_000);
  await w.pass(10_000);
  w.courier.purge("batch");
  await w.pass(65_000);
  assert.deepEqual([looks, waiting()], [51, 5_000]);
  w.courier.fate("refuse", 1);
  await deferred(w, 1);
  await w.pass(10_000);
  assert.deepEqual([looks, waiting()], [51, 5_001]);
  database.resolve();
  await w.pass(10_000);
  assert.deepEqual([looks, waiting()], [60, 6_001]);
  await w.stop();
});
