import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";

const minute = 60_000;

test("an hour without a broker loses nothing: tasks and messages of it are told once, in their order", async () => {
  const w = await brokerWorld();
  const { id, holder } = await coordinator(w);
  w.courier.purge("jobs");
  const before = w.courier.carried.length;
  w.courier.down();
  await w.engine.settle(id, holder, { type: "defer", total: 30, messages: messages(30) });
  const job = await w.job();
  const ids: string[] = [];
  for (let minutes = 0; minutes < 60; minutes += 1) {
    ids.push(...(await w.submitted(job, 2)));
    await w.pass(minute);
  }
  assert.equal(w.courier.carried.length, before);
  w.courier.up();
  await w.pass(2_000);
  assert.deepEqual(w.waiting(), ids);
  assert.equal(w.courier.waiting("batch").length, 30);
  await w.pass(2 * minute);
  assert.deepEqual(w.waiting(), ids);
  assert.equal(w.courier.waiting("batch").length, 30);
  for (const each of ids) assert.deepEqual(await w.history(each), ["submitted"]);
  await w.stop();
});
