// `leadhand worker --queue`, as a process of its own, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { proxy } from "./proxy.ts";
import { amqpUrl, brokerScene, deadLetterSettings, skip } from "./scene.ts";

const file = join(await temporaryFolder(), "jobs.mjs");
writeFileSync(
  file,
  `export const jobs = [
  { name: "@global:operations:load", options: {}, handler: () => ({ ok: true }) },
  { name: "@global:operations:last", options: {}, handler: ({ signal }) => new Promise((done, failed) => {
    let first = 0;
    signal.addEventListener("abort", () => failed(signal.reason));
    // Two that are apart, and not one that a launcher has passed on.
    process.on("SIGTERM", () => {
      first ||= performance.now();
      if (performance.now() - first < 500) return;
      console.log("asked twice");
      setTimeout(done, 100, { asked: "twice" });
    });
  }) },
  { name: "@global:operations:hang", options: {}, handler: () => new Promise((done) => setTimeout(done, 60_000)) },
];
`,
);

async function aScene(flags: Readonly<Record<string, string>> = {}) {
  const server = await restScene(flags);
  const broker = brokerScene();
  const queue = await broker.queue();
  const environment = {
    ...{ LEADHAND_URL: server.url, LEADHAND_TOKEN: server.admin.token, LEADHAND_AMQP_URL: amqpUrl },
    ...deadLetterSettings,
    LEADHAND_AMQP_QUEUES: JSON.stringify({ [queue]: "job" }),
  };
  async function submit(name: string): Promise<string> {
    const path = `/rooms/@global/tasks/@global:operations:${name}`;
    const { body } = await server.admin.post(path, { payload: {}, queue });
    await broker.tell(queue, body.id);
    return body.id;
  }
  const is = (id: string, status: string) =>
    until(`it is ${status}`, async () => (await server.admin.get(`/tasks/${id}`)).body.status === status, 20_000);
  return { server, broker, queue, environment, submit, is };
}

test("“Each process is bound to a single RabbitMQ queue”, and stops when it is told to, busy or idle", {
  skip,
}, async () => {
  const { queue, environment, submit, is, server } = await aScene();
  const worker = leadhand(["worker", file, "--queue", queue], environment);
  await until("it is ready", () => worker.err().includes("ready"), 20_000);
  await is(await submit("load"), "completed");
  const { body: list } = await server.admin.get("/workers");
  const { body } = await server.admin.get(`/workers/${list.items[0].id}`);
  assert.deepEqual([list.items.length, body.profile, body.queues], [1, "amqp", [queue]]);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0);
});

test("“the leased_until column tracks process liveness”, also while the operation blocks the whole program", {
  skip,
}, async () => {
  const { queue, submit, is, server } = await aScene({ "job-lease-seconds": "3" });
  const script = fileURLToPath(new URL("blocking-worker.ts", import.meta.url));
  const worker = leadhand([server.url, server.admin.token, amqpUrl, queue], deadLetterSettings, script);
  await until("it is ready", () => worker.out().includes("ready"), 20_000);
  const id = await submit("block");
  await is(id, "completed");
  const { body } = await server.admin.get(`/tasks/${id}/events`);
  const types = body.items.map(({ type }: { type: string }) => type);
  assert.deepEqual(types, ["task.submitted", "task.assigned", "task.completed"]);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0);
});

test("“drain the current batch and exit cleanly”, also after “a second SIGTERM during shutdown”, and the exit code is 0", {
  skip,
}, async () => {
  const { queue, environment, submit, is, server } = await aScene();
  const worker = leadhand(["worker", file, "--queue", queue], environment);
  await until("it is ready", () => worker.err().includes("ready"), 20_000);
  const id = await submit("last");
  await is(id, "running");
  await until("it was asked twice", () => worker.out().includes("asked twice") || !worker.child.kill("SIGTERM"));
  assert.equal(await worker.ended, 0, worker.err());
  const { body } = await server.admin.get(`/tasks/${id}`);
  assert.deepEqual([body.status, body.attempt, body.result], ["completed", 1, { asked: "twice" }]);
});

test("what the file has left running keeps no worker that has ended, well or not", { skip }, async () => {
  const { queue, environment, submit, is, server } = await aScene();
  const busy = join(await temporaryFolder(), "busy.mjs");
  const handler = "() => new Promise((done) => setTimeout(done, 600_000))";
  const hang = `{ name: "@global:operations:hang", options: {}, handler: ${handler} }`;
  writeFileSync(busy, `setInterval(() => {}, 60_000);\nexport const jobs = [${hang}];\n`);
  const well = leadhand(["worker", busy, "--queue", queue], environment);
  await until("it is ready", () => well.err().includes("ready"), 20_000);
  well.child.kill("SIGTERM");
  assert.equal(await well.ended, 0);
  const { id: itsToken, token } = (await server.admin.post("/tokens", { user: "ada", role: "user" })).body;
  const hopeless = leadhand(["worker", busy, "--queue", queue], { ...environment, LEADHAND_TOKEN: token });
  await until("it is ready", () => hopeless.err().includes("ready"), 20_000);
  await is(await submit("hang"), "running");
  await server.admin.delete(`/tokens/${itsToken}`);
  assert.equal(await hopeless.ended, 1, hopeless.err());
});

for (const [what, refusal] of [
  ["may not go back", true],
  ["nobody answers about", "silent"],
] as const) {
  test(`“force_fail remains the safety net”: what ${what} is FAILED with WorkerShutdown, and the exit code is 143`, {
    skip,
  }, async () => {
    const { queue, environment, submit, is, server } = await aScene();
    const url = await proxy(server.url, undefined, (path) => path.endsWith("/release") && refusal);
    const impatient = { ...environment, LEADHAND_URL: url, LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS: "0.1" };
    const worker = leadhand(["worker", file, "--queue", queue], impatient);
    await until("it is ready", () => worker.err().includes("ready"), 20_000);
    const id = await submit("hang");
    await is(id, "running");
    worker.child.kill("SIGTERM");
    assert.equal(await worker.ended, 143, worker.err());
    const { body } = await server.admin.get(`/tasks/${id}`);
    assert.deepEqual([body.status, body.error_code, body.attempt], ["failed", "WorkerShutdown", 1]);
  });
}

test("“flip it back to QUEUED” when the time is over, and the exit code is 143", { skip }, async () => {
  const { queue, environment, submit, is } = await aScene();
  const worker = leadhand(["worker", file, "--queue", queue], environment);
  await until("it is ready", () => worker.err().includes("ready"), 20_000);
  const id = await submit("hang");
  await is(id, "running");
  worker.child.kill("SIGTERM");
  await until("it has heard", async () => {
    // A person at the terminal, who asks once more, ends the grace.
    worker.child.kill("SIGINT");
    return worker.child.exitCode !== null || worker.err().includes("did not stop in time");
  });
  assert.equal(await worker.ended, 143);
  await is(id, "pending");
});

test("“Start the stale job reaper (periodic cleanup process)”: --queue reaper has the server sweep, and stops when it is told to", async () => {
  const server = await restScene();
  const environment = { LEADHAND_URL: server.url, LEADHAND_TOKEN: server.admin.token };
  const { status, body } = await server.admin.post("/sweep");
  assert.deepEqual([status, typeof body.swept], [200, "object"]);
  const reaper = leadhand(["worker", "--queue", "reaper"], environment);
  await until("it runs", () => reaper.err().includes("reaper"), 20_000);
  reaper.child.kill("SIGTERM");
  assert.equal(await reaper.ended, 0);
});

test("a reaper whose token is no admin's says so at once, and does not go on", async () => {
  const server = await restScene();
  const { token } = await server.caller("ada");
  const [user, nobody] = await Promise.all(
    [token, "lh_nobody"].map((each) =>
      run(["worker", "--queue", "reaper"], { LEADHAND_URL: server.url, LEADHAND_TOKEN: each }),
    ),
  );
  for (const ended of [user, nobody]) {
    assert.equal(ended?.code, 2);
    assert.match(ended?.err ?? "", /\nleadhand worker: the reaper needs an admin's token; the server says: .+\n$/);
  }
});

test("a worker without a file, and a queue of a broker that is not there, are said to be wrong", async () => {
  const environment = { LEADHAND_URL: "http://127.0.0.1:9", LEADHAND_TOKEN: "lh_none" };
  const without = await run(["worker"], environment);
  assert.deepEqual([without.code, /FILE is missing/.test(without.err)], [2, true]);
  const ping = await run(["worker", "--queue", "protea.ping"], environment);
  assert.deepEqual([ping.code, /protea\.ping is no queue of a broker here/.test(ping.err)], [2, true]);
  for (const [flag, value] of [
    ["--ack-mode", "sometimes"],
    ["--ack-mode", "preAck"],
    ["--prefetch", "-1"],
  ] as const) {
    const { code, err } = await run(["worker", file, flag, value], environment);
    assert.deepEqual([code, err.includes(flag)], [2, true], err);
  }
  const alone = await run(["worker", file, "--link", "amqp", "--queue", "protea.jobs"], environment);
  assert.deepEqual([alone.code, /LEADHAND_AMQP_URL/.test(alone.err)], [2, true]);
  for (const map of ["{", '{"mine":"jobs"}', "[]"]) {
    const mapped = { ...environment, LEADHAND_AMQP_URL: "amqp://127.0.0.1:9", LEADHAND_AMQP_QUEUES: map };
    const wrong = await run(["worker", file, "--queue", "mine"], mapped);
    assert.deepEqual([wrong.code, /LEADHAND_AMQP_QUEUES/.test(wrong.err), /\n +at /.test(wrong.err)], [2, true, false]);
  }
  const unmapped = { ...environment, LEADHAND_AMQP_URL: "amqp://127.0.0.1:9" };
  const unknown = await run(["worker", file, "--link", "amqp", "--queue", "mine"], unmapped);
  assert.deepEqual([unknown.code, /'mine' .*LEADHAND_AMQP_QUEUES/.test(unknown.err)], [2, true], unknown.err);
  assert.match(unknown.err, /or leave out --link amqp/);
  assert.doesNotMatch(unknown.err, /kind/, "there is no such flag");
  for (const url of ["localhost:5672", "http://me:secret@broker"]) {
    const args = ["worker", file, "--queue", "protea.jobs"];
    const wrong = await run(args, { ...environment, LEADHAND_AMQP_URL: url });
    assert.deepEqual([wrong.code, /LEADHAND_AMQP_URL/.test(wrong.err), /secret/.test(wrong.err)], [2, true, false]);
  }
});
