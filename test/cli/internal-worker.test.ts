import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { brokerProxy } from "../amqp/broker-proxy.ts";
import { amqpUrl, withRabbitmq } from "../fresh-broker.ts";
import { ownJobs } from "../internal-jobs/executors.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";

const nowhere = { LEADHAND_AMQP_URL: "amqp://127.0.0.1:1" };

test("an internal worker says what it lacks: RabbitMQ, a number of places, a file that can be used", async () => {
  const file = join(await temporaryFolder(), "nowhere.mjs");
  const [lost, many, missing] = await Promise.all([
    run(["internal-worker", file]),
    run(["internal-worker", file, "--places", "many"], nowhere),
    run(["internal-worker", file], nowhere),
  ]);
  assert.deepEqual([lost.code, many.code, missing.code], [2, 2, 1]);
  assert.match(lost.err, /^leadhand internal-worker: LEADHAND_AMQP_URL is not set/);
  assert.match(many.err, /--places: "many" is not a whole number from 1 to 256/);
  assert.match(missing.err, /nowhere\.mjs cannot be used for internal jobs: Cannot find module/);
});

test("an internal worker waits for RabbitMQ, and stops while it does", async () => {
  const file = join(await temporaryFolder(), "jobs.mjs");
  await writeFile(file, 'import { job } from "leadhand";\nexport const jobs = [job("analysis:Count", {}, () => 1)];\n');
  const worker = leadhand(["internal-worker", file, "--places", "3"], nowhere);
  await until("it says so", () => worker.err().includes("RabbitMQ cannot be used yet"), 20_000);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0);
  assert.equal(worker.out(), "", "it could not work");
});

test("an internal worker is ready when it takes tasks, however long RabbitMQ keeps it waiting", {
  ...withRabbitmq,
}, async () => {
  const broker = await brokerProxy();
  broker.keepOut();
  const args = ["internal-worker", await ownJobs(), "--places", "2"];
  const worker = leadhand(args, { LEADHAND_AMQP_URL: broker.url });
  await until("it says that it waits", () => worker.err().includes("RabbitMQ cannot be used yet"), 20_000);
  assert.equal(worker.out(), "");
  broker.letIn();
  await until("it is ready", () => /^leadhand internal-worker ready: \d+ jobs, 2 places\n$/.test(worker.out()), 20_000);
  assert.equal(worker.err().split("cannot be used").length, 2, "it is said once");
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0);
});

test("an internal worker whose password is wrong is not ready, and says what RabbitMQ says", {
  ...withRabbitmq,
}, async () => {
  const url = new URL(amqpUrl as string);
  url.password = "wrong";
  const worker = leadhand(["internal-worker", await ownJobs()], { LEADHAND_AMQP_URL: url.href });
  await until("it is refused", () => worker.err().includes("ACCESS_REFUSED - Login was refused"), 20_000);
  assert.doesNotMatch(worker.err(), /undefined/);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0);
  assert.equal(worker.out(), "");
});
