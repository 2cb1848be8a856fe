// A consumer that was not given a task and cannot ask why, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { consumerScene, rotate } from "./consumer-scene.ts";
import { proxy } from "./proxy.ts";
import { skip } from "./scene.ts";

test("the message of a task that waits is kept while the server cannot say that it does", { skip }, async () => {
  const { server, broker, queue, submit, is, status, consumer } = await consumerScene();
  const id = await submit({ angle: 1 }, { labels: { gpu: "yes" } });
  let asked = 0;
  const isLook = (path: string): boolean => path === `/v1/tasks/${id}`;
  let isBusy = true;
  const url = await proxy(server.url, undefined, (path) => {
    if (!isLook(path) || !isBusy) return false;
    asked += 1;
    return 503;
  });
  const { worker } = await consumer(rotate, { url });
  await broker.tell(queue, id);
  await until("it has asked in vain", () => asked >= 3, 10_000);
  isBusy = false;
  await worker.stop();
  assert.equal(await status(id), "pending");
  await until("its message is there", async () => (await broker.depth(queue)) === 1, 5_000);
  await consumer(rotate, { labels: { gpu: "yes" } });
  await is(id, "completed");
});
