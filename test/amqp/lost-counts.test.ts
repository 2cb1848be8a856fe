// Answers to counts that are lost on their way to a consumer, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { lossyWire } from "../sdk/lossy-wire.ts";
import { operationScene, storing } from "./operation-scene.ts";
import { skip } from "./scene.ts";

test("a message without an index is counted once, however often the answer is lost", { skip }, async () => {
  const { server, broker, queue, coordinator, message, task, consumer, quiet } = await operationScene();
  let told = 0;
  const isLost = (asked: { readonly url?: string | undefined }): boolean => {
    if (asked.url?.endsWith("/count") !== true) return false;
    told += 1;
    return told <= 3;
  };
  const runs: unknown[] = [];
  await consumer(storing(runs), { url: await lossyWire(server.url, isLost) });
  const parent = await coordinator(9);
  await broker.send(queue, message(parent, null));
  await until("it is told", () => told > 3, 20_000);
  await quiet(queue);
  assert.equal((await task(parent)).children.done, 1);
  await broker.send(queue, message(parent, null));
  await until("the next is counted", async () => (await task(parent)).children.done === 2, 10_000);
  assert.equal(runs.length, 2);
});
