// Workers as processes that crash, or are asked to end, in the middle of each flow: with real PostgreSQL
// (LEADHAND_TEST_DATABASE_URL) and RabbitMQ (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { LEASE_REQUEUE_EVENT, OperationRegistry } from "../../src/sdk/index.ts";
import { type LeadhandProcess, leadhand } from "../leadhand-process.ts";
import { patiently, type Stage, stage, withBoth } from "./document-scene.ts";
import type { DocumentWorkerWords } from "./document-worker.ts";
import { postgresSessions } from "./postgres-sessions.ts";
import { amqpUrl, deadLetterSettings } from "./scene.ts";

const file = fileURLToPath(new URL("document-worker.ts", import.meta.url));

/** What blocked each other is not tried again before the test has seen to it. */
const seldom = { LEADHAND_TRANSIENT_RETRY_BASE_SECONDS: "60", LEADHAND_TRANSIENT_RETRY_CAP_SECONDS: "60" };
/** Whoever ends when asked to has time to tell of it. */
const drainMs = 3_000;

function worker({ server, jobs, batch }: Stage, words: Partial<DocumentWorkerWords> = {}): LeadhandProcess {
  const kind = words.kind ?? "job";
  const all: DocumentWorkerWords = {
    ...{ url: server.url, token: server.admin.token, amqpUrl, kind, queue: kind === "job" ? jobs : batch },
    ...words,
  };
  return leadhand([JSON.stringify(all)], { ...deadLetterSettings, ...seldom }, file);
}

const saying = (process: LeadhandProcess, ...words: readonly string[]) =>
  patiently(`it says ${words}`, () => words.every((word) => process.out().split("\n").includes(word)));

const fine = (...names: readonly string[]): OperationRegistry =>
  names.reduce((all, name) => all.register({ name, execute: () => ({ by: "another" }) }), new OperationRegistry());

describe("workers that crash or are asked to end", { ...withBoth, concurrency: true }, async () => {
  if (withBoth.skip) return;
  const short = { "job-lease-seconds": "4" };

  it("“a crash in the execute phase leaves the claim committed (RUNNING is visible) while the result is not”", async () => {
    const scene = await stage({ settings: short });
    const { submit, task, is, names } = scene;
    const { url: database, stored } = await postgresSessions();
    const process = worker(scene, { database });
    const id = await submit("hang");
    await saying(process, "hang");
    process.child.kill("SIGKILL");
    await process.ended;
    const { status, result } = await task(id);
    assert.deepEqual([status, result ?? null, await stored()], ["running", null, []]);

    // “StaleJobReaper uses the same column to decide when an abandoned job is safe to re-enqueue.”
    scene.consume(fine("hang"));
    await is(id, "completed");
    const started = ["job.started", LEASE_REQUEUE_EVENT, "job.started"];
    assert.deepEqual(await names(id), ["job.created", ...started, "job.succeeded"]);
    assert.deepEqual((await task(id)).result, { by: "another" });
  });

  it("“SIGTERM/SIGINT arrives mid-job: … flip it back to QUEUED with a cleared leased_until and started_at”, in each flow, and the process ends with 143", async () => {
    const scene = await stage();
    const { submit, task, row, is, names, events } = scene;
    const process = worker(scene, { drainMs, concurrency: 8 });
    const operations = ["hang", "finish", "deadlock", "later"] as const;
    const ids = await Promise.all(operations.map((name) => submit(name)));
    const [hang, finish, deadlock, later] = ids as [string, string, string, string];
    await saying(process, ...operations);
    await patiently("one waits for its time", async () => (await names(later)).includes("job.retry_later"));
    process.child.kill("SIGTERM");
    assert.equal(await process.ended, 143, process.err());

    for (const id of [hang, deadlock]) {
      assert.deepEqual(await row(id), { state: "pending", started_at: null, leased_until: null });
      assert.deepEqual(await names(id), ["job.created", "job.started", "job.requeued_on_shutdown"]);
    }
    assert.deepEqual([(await task(finish)).status, (await task(finish)).result], ["completed", { finished: true }]);
    const waiting = await task(later);
    const [asked] = (await events(later)).filter(({ name }) => name === "job.retry_later");
    assert.deepEqual([waiting.status, Date.parse(waiting.run_at) - Date.parse(asked.at)], ["pending", 60_000]);

    // “so the next consumer can claim it”: nobody but the server has told the queue of it again.
    scene.consume(fine(...operations));
    for (const id of [hang, deadlock]) await is(id, "completed");
    assert.equal((await task(hang)).attempt, 2);
  });

  it("“drain the current batch and exit cleanly rather than being killed mid-operation”: operations go back to their queue, in each flow", async () => {
    const scene = await stage({ database: "sqlite" });
    const { broker, batch, task, is } = scene;
    const parent = await coordinator(scene, 4);
    const process = worker(scene, { kind: "operation", drainMs, concurrency: 8 });
    const operations = ["hang", "finish", "later", "memory"];
    for (const [index, operation] of operations.entries()) {
      await broker.send(batch, { operation, job_id: parent, index, payload: {} });
    }
    await saying(process, ...operations);
    process.child.kill("SIGINT");
    assert.equal(await process.ended, 143, process.err());
    const { children } = await task(parent);
    assert.deepEqual(children, { total: 4, done: 1, failed: 0 });
    // A message that was being published again while its process ended may be there twice; it counts once.
    await patiently("all three are in the queue again", async () => (await broker.depth(batch)) >= 3);

    scene.consume(fine(...operations), { kind: "operation" });
    await is(parent, "completed");
  });
});

async function coordinator({ admin, jobs }: Stage, total: number): Promise<string> {
  const { id: by } = (await admin.post("/workers", {})).body;
  await admin.put("/rooms/@global/jobs", { category: "operations", name: "wait", schema: {}, worker_id: by });
  const { body } = await admin.post("/rooms/@global/tasks/@global:operations:wait", {
    payload: {},
    queue: `${jobs}.none`,
  });
  await admin.post("/tasks/claim", { worker_id: by, task_ids: [body.id], start: true });
  const { status, text } = await admin.post(`/tasks/${body.id}/defer`, { total });
  assert.equal(status, 200, text);
  return body.id;
}
