// `leadhand up` with a real broker (LEADHAND_TEST_AMQP_URL): a process for each queue, all operations in each.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { amqpUrl, brokerScene, deadLetterSettings, skip } from "../amqp/scene.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";

// As in docs/guides/consumers.md: made by a registry, it names no queue.
const jobs = `
import { OperationRegistry } from "leadhand";
const registry = new OperationRegistry();
registry.register({ name: "load_ontology", execute: (session) => ({ session, pid: process.pid }) });
export const jobs = registry.jobs();
export const sessions = { begin: () => "a session", commit() {}, rollback() {} };
`;

test("“Start the full stack (all workers + API + frontend)”: every queue of RabbitMQ has its N processes, with all operations of the file", {
  skip,
  timeout: 150_000,
}, async () => {
  const broker = brokerScene();
  const queues = [await broker.queue(), await broker.queue()];
  const data = await temporaryFolder();
  const file = join(data, "jobs.ts");
  await writeFile(file, jobs);
  const up = leadhand(["up", file, "2", "--port", "0", "--data", data, "--ack-mode", "preAck", "--prefetch", "2"], {
    ...{ LEADHAND_AMQP_URL: amqpUrl, LEADHAND_AMQP_QUEUES: JSON.stringify(Object.fromEntries(queues.map(asJobs))) },
    ...deadLetterSettings,
  });
  await until("all are there", () => up.err().includes("with 6 workers\n"), 90_000);
  assert.match(up.err(), new RegExp(`leadhand up: queues of RabbitMQ, 2 workers each: ${queues.join(", ")}\n`));
  const url = /^server \| leadhand ready (http\S+)$/m.exec(up.out())?.[1] as string;
  const submit = (...more: readonly string[]) =>
    run(["submit", "@global:operations:load_ontology", "--url", url, "--data", data, "--wait", "--json", ...more]);
  // Until a worker has registered the job there is none.
  await until("the job is there", async () => (await submit()).code === 0, 30_000);
  const page = await fetch(url);
  assert.deepEqual([page.status, new URL(page.url).pathname], [200, "/ui/"]);
  assert.match(await page.text(), /<title>Leadhand<\/title>/);
  const pids = new Set<number>();
  for (const more of [[], ...queues.map((queue) => ["--queue", queue])]) {
    const { code, out, err } = await submit(...more);
    assert.equal(code, 0, err + up.err());
    const { result } = JSON.parse(out);
    assert.equal(result.session, "a session");
    pids.add(result.pid);
  }
  assert.equal(pids.size, 3, "one process for each queue, and one for tasks that name none");
  up.child.kill("SIGTERM");
  assert.equal(await up.ended, 0, up.err());
});

function asJobs(queue: string): readonly [string, "job"] {
  return [queue, "job"];
}
