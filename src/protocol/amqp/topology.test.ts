import assert from "node:assert/strict";
import { test } from "node:test";
import {
  declare,
  documentDeadLetters,
  documentQueues,
  nameFault,
  type QueueMap,
  serialIn,
  topology,
} from "./topology.ts";

test("the document's six queues carry ids of jobs, its four batch queues operations", () => {
  const of = (use: string) => Object.keys(documentQueues).filter((queue) => documentQueues[queue] === use);
  const jobs = ["ping", "jobs", "embeddings", "predictions", "training", "evaluations"];
  const operations = ["embeddings.batch", "embeddings.write", "predictions.batch", "predictions.write"];
  assert.deepEqual(
    [of("job"), of("operation")],
    [jobs, operations].map((names) => names.map((name) => `protea.${name}`)),
  );
});

test("queues are durable, and what is refused goes to the dead-letter exchange", () => {
  const { queues, exchange, binding, deadLetterQueue } = topology(Object.keys(documentQueues));
  for (const { durable, arguments: given } of queues) {
    assert.equal(durable, true);
    assert.equal(given?.["x-dead-letter-exchange"], "protea.dlx");
  }
  assert.deepEqual(exchange, { exchange: "protea.dlx", type: "fanout", durable: true });
  assert.deepEqual(deadLetterQueue, { queue: "protea.dead-letter", durable: true });
  assert.deepEqual(binding, { exchange: "protea.dlx", queue: "protea.dead-letter", routingKey: "" });
});

test("only the three coordinators of the document have a single active consumer", () => {
  const { queues } = topology([...Object.keys(documentQueues), "gpu"]);
  const serial = queues.filter(({ arguments: given }) => given?.["x-single-active-consumer"] === true);
  assert.deepEqual(
    serial.map(({ queue }) => queue),
    ["protea.embeddings", "protea.predictions", "protea.training"],
  );
});

test("queues that a map calls serial have a single active consumer too, and no others of it", () => {
  const map: QueueMap = { gpu: "serial", cpu: "job", steps: "operation" };
  const { queues } = topology(Object.keys(map), documentDeadLetters, serialIn(map));
  const serial = queues.filter(({ arguments: given }) => given?.["x-single-active-consumer"] === true);
  assert.deepEqual(
    serial.map(({ queue }) => queue),
    ["gpu"],
  );
});

test("a consumer of one queue declares it as a server of all of them does", () => {
  const all = topology(Object.keys(documentQueues));
  for (const queue of all.queues) assert.deepEqual(topology([queue.queue]).queues, [queue]);
});

test("the dead-letter queue is there before the queues that lead to it", async () => {
  const told: string[] = [];
  const channel = {
    exchangeDeclare: async ({ exchange }: { exchange: string }) => void told.push(`exchange ${exchange}`),
    queueDeclare: async ({ queue }: { queue: string }) => void told.push(`queue ${queue}`),
    queueBind: async ({ queue, exchange }: { queue: string; exchange: string }) =>
      void told.push(`${exchange} to ${queue}`),
  };
  await declare(channel, topology(["gpu"], { exchange: "x", queue: "lost" }));
  assert.deepEqual(told, ["exchange x", "queue lost", "x to lost", "queue gpu"]);
  assert.equal(documentDeadLetters.queue, "protea.dead-letter");
});

test("names that a broker would refuse are known before", () => {
  assert.equal(nameFault("protea.jobs"), null);
  assert.equal(nameFault("ö".repeat(127)), null);
  for (const name of ["", "amq.direct", "ö".repeat(128), "a\u0000b"]) assert.notEqual(nameFault(name), null);
});
