import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "./plan.ts";

const url = "http://127.0.0.1:7070";
const config = {
  ...{ amqpUrl: "amqp://127.0.0.1", internal: null, data: "./data" },
  internalBroker: "threads",
  amqpQueues: { "protea.embeddings": "job", "protea.embeddings.batch": "operation", "protea.ping": "job" },
} as const;
const jobs = [
  { options: { queue: "protea.embeddings" } },
  { options: { queue: "protea.embeddings.batch" } },
  { options: { queue: "protea.embeddings.batch" } },
];

test("each queue of the map that a job names has its processes, and no other has", () => {
  const plan = planOf({ file: "jobs.ts", jobs, config, each: 2 }, url);
  assert.deepEqual(
    plan.map(({ name }) => name),
    [
      "reaper",
      ...["protea.embeddings.1", "protea.embeddings.2"],
      ...["protea.embeddings.batch.1", "protea.embeddings.batch.2"],
    ],
  );
  const batch = plan.at(-1)?.args.join(" ");
  assert.equal(
    batch,
    `worker jobs.ts --url ${url} --data ./data --name protea.embeddings.batch.2 --link amqp --queue protea.embeddings.batch`,
  );
});

test("jobs of queues that RabbitMQ does not carry are done by a worker that takes nothing else", () => {
  const others = [...jobs, { options: {} }, { options: { queue: "slow" } }];
  const plan = planOf({ file: "jobs.ts", jobs: others, config, each: 1 }, url);
  const worker = plan.find(({ name }) => name === "worker")?.args.join(" ");
  assert.match(worker ?? "", / --name worker --queue default --queue slow$/);
});

test("without RabbitMQ every process is a worker for all jobs of the file", () => {
  const plan = planOf({ file: "jobs.ts", jobs, config: { ...config, amqpUrl: null }, each: 3 }, url);
  assert.deepEqual(
    plan.map(({ name }) => name),
    ["worker.1", "worker.2", "worker.3"],
  );
  assert.ok(plan.every(({ args }) => !args.includes("--queue")));
});

test("internal jobs behind RabbitMQ have their processes too", () => {
  const inside = { ...config, internal: "inside.ts", internalBroker: "amqp" } as const;
  const plan = planOf({ file: "jobs.ts", jobs: [], config: inside, each: 1 }, url);
  assert.deepEqual(plan.at(-1), { name: "internal", args: ["internal-worker", "inside.ts"] });
});
