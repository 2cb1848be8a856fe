import assert from "node:assert/strict";
import { test } from "node:test";
import { house } from "../../testing/internal-house.ts";
import { settled } from "../../testing/world.ts";

test("while no executor can be reached tasks wait in line, and are taken when one can", async () => {
  const h = await house();
  h.broker.setPlaces(0);
  await settled();
  const { id, state } = await h.ask();
  assert.equal(state, "pending");
  h.broker.setPlaces(1);
  await settled();
  assert.equal((await h.task(id)).row.state, "claimed");
});

test("what an executor was running when it died runs again, three times at most", async () => {
  const h = await house();
  const { id } = await h.ask();
  for (const attempt of [1, 2, 3, 4]) {
    assert.equal((await h.task(id)).row.attempt, attempt);
    await h.broker.begin(id);
    h.broker.end(id, { type: "lost" });
    await settled();
  }
  const { row, outcome } = await h.task(id);
  assert.deepEqual([row.losses, row.failures, outcome?.error?.message], [4, 0, "Worker disconnected"]);
  assert.deepEqual(h.broker.out, []);
});
