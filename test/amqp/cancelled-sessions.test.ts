// Sessions of tasks that are cancelled while their handlers, which do not listen, go on, with a real broker
// (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { consumerScene, operation } from "./consumer-scene.ts";
import { gate } from "./document-scene.ts";
import { skip } from "./scene.ts";

test("what a handler did for a task that was cancelled meanwhile is not committed", { skip }, async () => {
  const { consumer, submit, server, status, broker, queue } = await consumerScene();
  const work = gate();
  const said: string[] = [];
  let signal: AbortSignal | undefined;
  const sessions = {
    begin: () => "a session",
    commit: () => said.push("commit"),
    rollback: () => said.push("rollback"),
  };
  await consumer(
    (worker) =>
      void worker.job(operation, {}, async (task) => {
        signal = task.signal;
        await work.pass();
      }),
    { sessions },
  );
  const id = await submit();
  await broker.tell(queue, id);
  await work.entered;
  assert.equal((await server.admin.post(`/tasks/${id}/cancel`, {})).status, 200);
  await until("the handler could know", () => signal?.aborted === true, 20_000);
  work.open();
  await until("its session is closed", () => said.length > 0, 10_000);
  assert.deepEqual([said, await status(id)], [["rollback"], "cancelled"]);
});
