import assert from "node:assert/strict";
import { test } from "node:test";
import { OperationRegistry } from "../../sdk/index.ts";
import { brokerQueues, planOf } from "./plan.ts";

const url = "http://127.0.0.1:7070";
const config = {
  ...{ amqpUrl: "amqp://127.0.0.1", internal: null, data: "./data" },
  internalBroker: "threads",
  amqpQueues: {
    "protea.ping": "job",
    "protea.jobs": "job",
    "protea.embeddings": "job",
    "protea.embeddings.batch": "operation",
  },
} as const;
const named = (name: string, queue?: string) => ({ name, options: queue === undefined ? {} : { queue } });
const jobs = [
  named("@global:operations:compute_embeddings", "protea.embeddings"),
  named("@global:operations:compute_embeddings_batch", "protea.embeddings.batch"),
  named("@global:operations:compute_more", "protea.embeddings.batch"),
];

test("where every job names its queue, these have their processes, and so has the built-in ping", () => {
  const plan = planOf({ file: "jobs.ts", jobs, config, each: 2 }, url);
  assert.deepEqual(
    plan.map(({ name }) => name),
    [
      "reaper",
      ...["protea.ping.1", "protea.ping.2", "protea.embeddings.1", "protea.embeddings.2"],
      ...["protea.embeddings.batch.1", "protea.embeddings.batch.2"],
    ],
  );
  const batch = plan.at(-1)?.args.join(" ");
  assert.equal(
    batch,
    `worker jobs.ts --url ${url} --data ./data --name protea.embeddings.batch.2 --link amqp --queue protea.embeddings.batch`,
  );
  assert.deepEqual(
    plan.filter(({ isSpare }) => isSpare).map(({ name }) => name),
    ["reaper"],
  );
});

test("“Start the full stack (all workers …)”: with a job that names no queue every queue of the map has its processes", () => {
  const every = Object.keys(config.amqpQueues);
  const loading = [named("@global:operations:load_ontology")];
  assert.deepEqual(brokerQueues({ jobs: loading, config }), every);
  assert.deepEqual(brokerQueues({ jobs: [...jobs, ...loading], config }), every);
  const registry = new OperationRegistry().register({ name: "load_ontology", execute: () => ({}) });
  assert.deepEqual(brokerQueues({ jobs: registry.jobs(), config }), every);
  // Tasks that were submitted to no queue have somebody too.
  const worker = planOf({ file: "jobs.ts", jobs: loading, config, each: 1 }, url).at(-1);
  assert.match(worker?.args.join(" ") ?? "", / --name worker --queue default$/);
});

test("the ping of a registry is no job that names no queue", () => {
  const registered = [...new OperationRegistry().jobs(), ...jobs];
  assert.deepEqual(brokerQueues({ jobs: registered, config }), brokerQueues({ jobs, config }));
  const names = planOf({ file: "jobs.ts", jobs: registered, config, each: 1 }, url).map(({ name }) => name);
  assert.ok(!names.includes("worker"), names.join());
});

test("jobs of queues that RabbitMQ does not carry are done by a worker that takes nothing else", () => {
  const others = [...jobs, named("@global:modifiers:Rotate"), named("@global:modifiers:Mirror", "slow")];
  const plan = planOf({ file: "jobs.ts", jobs: others, config, each: 1 }, url);
  const worker = plan.find(({ name }) => name === "worker")?.args.join(" ");
  assert.match(worker ?? "", / --name worker --queue default --queue slow$/);
});

test("how messages are acknowledged is said to consumers, and how many are kept in hand to all workers", () => {
  const others = [...jobs, named("@global:modifiers:Mirror", "slow")];
  const words = { ackMode: "afterJob", prefetch: 7 } as const;
  const plan = planOf({ file: "jobs.ts", jobs: others, config, each: 1, ...words }, url);
  const said = (name: string) => plan.find((each) => each.name === name)?.args.join(" ") ?? "";
  assert.match(said("protea.embeddings"), / --queue protea\.embeddings --ack-mode afterJob --prefetch 7$/);
  assert.match(said("worker"), / --queue slow --prefetch 7$/);
  assert.match(said("reaper"), / --queue reaper$/);
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
