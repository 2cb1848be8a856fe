// A coordinator that leaves its work to messages: from the deferral, through the broker, to the last count.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Connection } from "rabbitmq-client";
import { until } from "../../src/testing/until.ts";
import { amqpUrl, queueName, withRabbitmq } from "../fresh-broker.ts";
import { restScene } from "../rest/scene.ts";
import { type Body, refused, the, workshop } from "../rest/workshop.ts";

test(
  "messages of a deferral reach their queues with their numbers, and the last count ends it",
  withRabbitmq,
  async () => {
    const [batch, jobs] = [queueName("batch"), queueName("jobs")];
    const scene = await restScene({
      "amqp-url": amqpUrl as string,
      "amqp-queues": JSON.stringify({ [batch]: "operation", [jobs]: "job" }),
      "amqp-dead-letter": queueName("dlx"),
      "amqp-dead-letter-queue": queueName("dead"),
    });
    const user = await scene.caller("user");
    const shop = await workshop(user);
    const { id, lease_token } = await shop.running();
    const defer = (messages: readonly object[], words: object = {}) =>
      user.post(`/tasks/${id}/defer`, { messages, lease_token, ...words });
    const message = (n: number) => ({ queue: batch, operation: "embed", payload: { n } });

    refused(await defer([{ queue: jobs, operation: "embed" }]), 422, "invalid-request");
    refused(await defer([message(0), message(1)], { total: 1 }), 422, "invalid-request");
    const deferred = the(200, await defer([0, 1, 2].map(message)));
    assert.deepEqual([deferred.status, deferred.children], ["running", { total: 3, done: 0, failed: 0 }]);

    const connection = new Connection(amqpUrl as string);
    after(() => connection.close());
    const got: Body[] = [];
    const take = async (): Promise<number> => {
      const next = await connection.basicGet({ queue: batch, noAck: true });
      if (next !== undefined) got.push(JSON.parse(String(next.body)));
      return got.length;
    };
    await until("all messages are there", async () => (await take()) === 3);
    assert.deepEqual(
      got.sort((a, b) => a.index - b.index),
      [0, 1, 2].map((n) => ({ operation: "embed", job_id: id, index: n, payload: { n } })),
    );
    const marks = got.map(({ index }) => ({ index, status: "done" }));
    assert.equal(the(200, await user.post(`/tasks/${id}/count`, { marks: [...marks, ...marks] })).status, "completed");
  },
);
