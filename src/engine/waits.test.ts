import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../ports/store.ts";
import { world } from "../testing/world.ts";

test("many who wait for one task ask the store a few times, not once each", async () => {
  let reads = 0;
  const counting = (store: Store): Store => ({
    ...store,
    read(kind, query) {
      if (kind === "tasks") reads += 1;
      return store.read(kind, query);
    },
  });
  const w = await world({ between: counting });
  const { card } = await w.submit(await w.job());
  const all = Array.from({ length: 200 }, () => w.engine.waits.untilFinal(card.id, 60_000));
  await w.engine.cancel({ id: card.id, actor: null });
  const found = await Promise.all(all);
  assert.ok(found.every((record) => record?.row.state === "cancelled"));
  assert.ok(reads < 20, `${reads} reads`);
  await w.stop();
});
