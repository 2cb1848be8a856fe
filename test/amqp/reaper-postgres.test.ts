// The reaper at work: a server on PostgreSQL (LEADHAND_TEST_DATABASE_URL) with RabbitMQ (LEADHAND_TEST_AMQP_URL), real consumers,
// and times of a second where the document has minutes and hours. What it does at its own times is in reaper.test.ts.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  LEASE_EXPIRED_FAILED_EVENT,
  LEASE_REQUEUE_EVENT,
  type OperationContext,
  OperationRegistry,
  OperationResult,
  StaleJobReaper,
} from "../../src/sdk/index.ts";
import { systemClock } from "../../src/server/system.ts";
import { query } from "../fresh-database.ts";
import { leadhand } from "../leadhand-process.ts";
import { the } from "../rest/workshop.ts";
import { gate, patiently, stage, withBoth } from "./document-scene.ts";

describe("the stale job reaper", { ...withBoth, concurrency: true }, () => {
  it("“Only truly stalled jobs — no events for stall_seconds — are marked FAILED”, and “a job under the timeout is never touched”", async () => {
    const scene = await stage({ settings: { "reaper-timeout-seconds": "5", "reaper-stall-seconds": "4" } });
    const { submit, task, is, names, events, admin, jobs } = scene;
    const ends = gate();
    after(ends.open);
    async function talk(_: unknown, __: object, { emit }: OperationContext): Promise<Record<string, unknown>> {
      const talking = setInterval(() => emit("batch.stored"), 100);
      await ends.pass().finally(() => clearInterval(talking));
      return {};
    }
    const registry = new OperationRegistry()
      .register({ name: "silent", execute: () => ends.pass().then(() => ({})) })
      .register({ name: "talking", execute: talk })
      .register({ name: "child", execute: talk })
      .register({
        name: "coordinator",
        async execute(_, { _job_id: parent }) {
          const path = "/rooms/@global/tasks/@global:operations:child";
          the(202, await admin.post(path, { payload: {}, queue: jobs, parent_id: parent }));
          return new OperationResult({ deferred: true, progressCurrent: 0, progressTotal: 1 });
        },
      });
    scene.consume(registry, { concurrency: 8 });
    const [silent, ...alive] = await Promise.all(["silent", "talking", "coordinator"].map((name) => submit(name)));
    await is(silent as string, "failed");
    assert.equal((await task(silent as string)).error_code, "JobTimeout");
    const told = (await events(silent as string)).map(({ at }) => Date.parse(at));
    const ran = (told.at(-1) ?? 0) - (told.at(-2) ?? 0);
    assert.ok(ran >= 5_000, `silent from its first moment, it was left alone for ${ran} ms`);
    assert.deepEqual(await names(silent as string), ["job.created", "job.started", "job.timeout"]);

    // Those that told something are older than the timeout by now, or will be in a moment.
    for (const id of alive) {
      const since = Date.parse((await task(id)).started_at);
      await patiently("it is older than the timeout", () => systemClock().now() > since + 6_000);
      assert.equal((await task(id)).status, "running");
    }
    ends.open();
    for (const id of alive) await is(id, "completed");
  });

  it("“The StaleJobReaper is a periodic background process”: where no server sweeps, the reaper's process alone finds what has expired", async () => {
    const scene = await stage({ settings: { "job-lease-seconds": "1" } });
    const { submit, admin, databaseUrl, task } = scene;
    // Another server leads, and has been silent ever since: until its lease ends nobody sweeps.
    const leads =
      "insert into leader (node, until) values ($1, $2) on conflict (one) do update set node = $1, until = $2";
    const later = systemClock().now() + 3_600_000;
    await query(databaseUrl ?? "", leads, ["00000000-0000-7000-8000-000000000000", later]);
    const sweep = async () => the(200, await admin.get("/system")).sweeper;
    await patiently("this server does not lead", async () => (await sweep()).leader === false);
    const id = await submit("abandoned");
    const { id: worker } = the(201, await admin.post("/workers", { profile: "amqp" }));
    const link = { category: "operations", name: "abandoned", schema: {}, worker_id: worker };
    the(200, await admin.put("/rooms/@global/jobs", link));
    const [claimed] = the(200, await admin.post("/tasks/claim", { worker_id: worker, task_ids: [id] })).tasks;
    const lost = Date.parse(claimed.lease_until) + 2_000;
    await patiently("its lease has ended", () => systemClock().now() > lost);
    assert.equal((await task(id)).status, "running", "nobody looked");
    const reaper = leadhand(["worker", "--queue", "reaper"], {
      LEADHAND_URL: scene.server.url,
      LEADHAND_TOKEN: admin.token,
    });
    await scene.is(id, "pending");
    assert.ok((await scene.names(id)).includes(LEASE_REQUEUE_EVENT));
    reaper.child.kill("SIGTERM");
    assert.equal(await reaper.ended, 0);
  });

  it("“Counted … to honour the max_lease_requeues budget before falling back to lease_expired”, however many look at once", async () => {
    const scene = await stage({ settings: { "job-lease-seconds": "1" } });
    const { submit, task, names, admin, jobs, broker } = scene;
    // Two beside the server, which looks by itself too.
    for (const _ of [1, 2]) {
      const reaper = new StaleJobReaper({ url: scene.server.url, token: admin.token, log: null });
      void reaper.run({ intervalMs: 20 });
      after(() => reaper.stop());
    }
    const id = await submit("abandoned");
    const told: string[] = [];
    for (let started = 1; started <= 4; started += 1) {
      await patiently("the queue is told of it", async () => {
        told.push(...(await broker.taken(jobs)).map(({ text }) => text));
        return told.length === started;
      });
      // A worker that claims it, and is never heard of again; one that took too long for that was never heard of before.
      await patiently("it is claimed", async () => {
        const { id: worker } = the(201, await admin.post("/workers", { profile: "amqp" }));
        const link = { category: "operations", name: "abandoned", schema: {}, worker_id: worker };
        if ((await admin.put("/rooms/@global/jobs", link)).status !== 200) return false;
        const { body } = await admin.post("/tasks/claim", { worker_id: worker, task_ids: [id] });
        return body.tasks?.length === 1;
      });
    }
    await scene.is(id, "failed");
    assert.equal((await task(id)).error_code, "lease_expired");
    const round = ["job.started", LEASE_REQUEUE_EVENT];
    const last = ["job.started", LEASE_EXPIRED_FAILED_EVENT];
    assert.deepEqual(await names(id), ["job.created", ...round, ...round, ...round, ...last]);
    assert.deepEqual(new Set(told), new Set([JSON.stringify({ job_id: id })]));
  });
});
