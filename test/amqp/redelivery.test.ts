// Operations whose consumers do not live to their end, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mock, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { leadhand, temporaryFolder } from "../leadhand-process.ts";
import { operationScene, store, storing } from "./operation-scene.ts";
import { proxy } from "./proxy.ts";
import { amqpUrl, deadLetterSettings, skip } from "./scene.ts";

const file = fileURLToPath(new URL("deadly-worker.ts", import.meta.url));

test("an operation that ends its process is given up after some tries, and takes no other with it", {
  skip,
}, async () => {
  const { server, broker, queue, coordinator, message, is, task } = await operationScene();
  await broker.deadLetters();
  const runs = join(await temporaryFolder(), "runs");
  await writeFile(runs, "");
  const parent = await coordinator(5);
  for (const index of [0, 1, 2, 3, 4]) {
    await broker.send(queue, message(parent, index, { index }, index === 0 ? "die" : "live"));
  }
  const settings = { ...deadLetterSettings, LEADHAND_REDELIVERY_MAX: "5" };
  for (let died = 0; died < 5; died += 1) {
    const args = [server.url, server.admin.token, amqpUrl, queue, runs];
    assert.equal(await leadhand(args, settings, file).ended, "SIGKILL");
  }
  const last = leadhand([server.url, server.admin.token, amqpUrl, queue, runs], settings, file);
  await is(parent, "failed");
  last.child.kill("SIGTERM");
  const { children } = await task(parent);
  assert.deepEqual([children.done, children.failed], [4, 1]);
  assert.deepEqual(children.errors, ["It was delivered 5 times, and each consumer ended before it did"]);
  const lines = (await readFile(runs, "utf8")).trim().split("\n");
  assert.equal(lines.filter((line) => line === "die 0").length, 5);
  const letters: string[] = [];
  await until("its message is kept", async () => {
    letters.push(...(await broker.deadLetters()));
    return letters.length > 0;
  });
  assert.deepEqual(
    letters.map((text) => JSON.parse(text).index),
    [0],
  );
  await last.ended;
});

test("a message that comes again is counted in its header, which any consumer heeds", { skip }, async () => {
  const { broker, queue, coordinator, message, is, task, consumer } = await operationScene();
  const runs: unknown[] = [];
  await consumer(storing(runs));
  const parent = await coordinator(3);
  for (const [index, tried] of [9, 10, 3].entries()) {
    await broker.send(queue, message(parent, index, { index }), { "x-redelivery": tried });
  }
  await is(parent, "failed");
  assert.deepEqual([(await task(parent)).children.done, (await task(parent)).children.failed], [2, 1]);
  assert.deepEqual(runs.map((run) => (run as { index: number }).index).sort(), [0, 2]);
});

test("a parent gets a sign of life each minute while an operation of it runs", { skip }, async () => {
  const { server, broker, queue, coordinator, message, is, consumer } = await operationScene();
  let counts = 0;
  const url = await proxy(server.url, async (path) => {
    if (path.endsWith("/count")) counts += 1;
  });
  let end: (() => void) | null = null;
  await consumer((worker) => worker.job(store, {}, () => new Promise<void>((resolve) => (end = resolve))), { url });
  const parent = await coordinator(1);
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    await broker.send(queue, message(parent, 0));
    await until("it runs", () => end !== null);
    for (const heard of [1, 2]) {
      mock.timers.tick(60_000);
      await until("it was heard of", () => counts === heard);
    }
  } finally {
    mock.timers.reset();
  }
  (end as (() => void) | null)?.();
  await is(parent, "completed");
});

test("an operation that hangs gives no sign of life after six hours", { skip }, async () => {
  const { server, broker, queue, coordinator, message, is, consumer } = await operationScene();
  let counts = 0;
  const url = await proxy(server.url, async (path) => {
    if (path.endsWith("/count")) counts += 1;
  });
  let end: (() => void) | null = null;
  await consumer((worker) => worker.job(store, {}, () => new Promise<void>((resolve) => (end = resolve))), { url });
  const parent = await coordinator(1);
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    await broker.send(queue, message(parent, 0));
    await until("it runs", () => end !== null);
    for (let minute = 1; minute <= 365; minute += 1) {
      mock.timers.tick(60_000);
      if (minute <= 360) await until("it was heard of", () => counts === minute);
    }
  } finally {
    mock.timers.reset();
  }
  (end as (() => void) | null)?.();
  await is(parent, "completed");
  assert.equal(counts, 361, "with the count of its end");
});
