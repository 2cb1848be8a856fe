import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
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
  await until("it is ready", () => worker.out() === "leadhand internal-worker ready: 1 job, 3 places\n", 20_000);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0);
});
