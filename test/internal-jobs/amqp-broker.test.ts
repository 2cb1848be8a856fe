import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brokerContract } from "../../src/testing/broker-contract.ts";
import { until } from "../../src/testing/until.ts";
import { amqpUrl, withRabbitmq } from "../fresh-broker.ts";
import { assignment, broker, nobody, started, told } from "./amqp-stage.ts";
import { executorProcess, ownJobs } from "./executors.ts";

describe("a broker over RabbitMQ", withRabbitmq, async () => {
  if (amqpUrl === undefined) return;
  const file = await ownJobs();
  const url = amqpUrl;
  await Promise.all([executorProcess({ url, file, places: 6 }), executorProcess({ url, file, places: 6 })]);
  brokerContract("RabbitMQ and processes", {
    quick: "@internal:modifiers:Echo",
    slow: "@internal:modifiers:Wait",
    open(places) {
      const made = broker({ file, places });
      return {
        get places() {
          return made.places;
        },
        async start(reports) {
          const jobs = await made.start(reports);
          await until("the executors are heard of", () => made.places === places, 10_000);
          return jobs;
        },
        dispatch: made.dispatch,
        abort: made.abort,
        stop: made.stop,
      };
    },
  });
});

test("what handlers say while they run reaches the server", withRabbitmq, async () => {
  const file = await ownJobs();
  const executor = await executorProcess({ url: amqpUrl as string, file, places: 1 });
  const { ended, reports } = told();
  const said: string[] = [];
  const made = await started(
    { file, places: 1 },
    {
      ...reports,
      progressed: (_, { current, total }) => void said.push(`${current}/${total}`),
      logged: (_, lines) => void said.push(...lines.map(({ message }) => message)),
    },
  );
  const add = assignment("Add", '{"a":1,"b":2}');
  assert.deepEqual(await made.dispatch([add]), [true]);
  await until("it has ended", () => ended.has(add.task), 10_000);
  assert.deepEqual(said.sort(), ["1/2", "adding 1 and 2"]);
  const ending = ended.get(add.task);
  assert.ok(ending?.type === "completed" && JSON.parse(ending.result ?? "").main === false);
  executor.child.kill("SIGTERM");
  assert.equal(await executor.ended, 0);
});

test("a task goes to executors with the same version of the jobs alone", withRabbitmq, async () => {
  const [ours, theirs] = [await ownJobs(), await ownJobs()];
  const executor = await executorProcess({ url: amqpUrl as string, file: theirs, places: 2 });
  const other = broker({ file: ours, places: 2 });
  await other.start(nobody);
  await started({ file: theirs, places: 2 });
  assert.equal(other.places, 0);
  assert.deepEqual(await other.dispatch([assignment("Echo")]), [false]);
  executor.child.kill("SIGTERM");
  await executor.ended;
});

test("a server that cannot reach RabbitMQ starts, has no places, and stops", async () => {
  const made = broker({ file: await ownJobs(), places: 2, url: "amqp://127.0.0.1:1" });
  const jobs = await made.start(nobody);
  assert.ok(jobs.some(({ name }) => name === "@internal:modifiers:Echo"));
  assert.equal(made.places, 0);
  assert.deepEqual(await made.dispatch([assignment("Echo")]), [false]);
  await made.stop();
});
