// Coordinators by the SDK and the broker, from the deferral to the closed parent, on each database, with real RabbitMQ
// (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OperationRegistry, OperationResult } from "../../src/sdk/index.ts";
import { the } from "../rest/workshop.ts";
import { gate, patiently, stage, withBoth } from "./document-scene.ts";

interface Batch {
  readonly n: number;
  readonly fails?: boolean;
  readonly waits?: "policy" | "index";
}

for (const database of ["sqlite", "postgres"] as const) {
  describe(`coordinators on ${database}`, { ...withBoth, concurrency: true }, async () => {
    if (withBoth.skip) return;
    const scene = await stage({ database });
    const { submit, task, is, names, events, admin, broker, jobs, batch, write } = scene;
    const held = { policy: gate(), index: gate() };
    const ran: number[] = [];
    const registry = new OperationRegistry();
    for (const onChildFailure of ["failWhenSettled", "stall", "failFast"] as const) {
      registry.register({
        ...{ name: onChildFailure, onChildFailure },
        execute(_, { batches }) {
          const all = batches as readonly Batch[];
          return new OperationResult({
            ...{ deferred: true, progressCurrent: 0, progressTotal: all.length },
            publishOperations: all.map((payload) => [batch, { operation: "infer", payload }]),
          });
        },
      });
    }
    registry
      .register({
        name: "infer",
        execute: (_, { _job_id, ...payload }) =>
          new OperationResult({ publishOperations: [[write, { operation: "store", payload }]] }),
      })
      .register({
        name: "store",
        async execute(_, payload, { emit }) {
          const { n, fails, waits } = payload as unknown as Batch;
          if (waits !== undefined) await held[waits].pass();
          if (fails) throw new Error("The disk is full");
          emit("stored", null, { n });
          ran.push(n);
          return {};
        },
      });
    scene.consume(registry, { concurrency: 4 });
    for (const queue of [batch, batch, write, write]) {
      scene.consume(registry, { kind: "operation", queue, concurrency: 8 });
    }
    const counts = async (id: string) => {
      const { done, failed } = (await task(id)).children ?? {};
      return [done, failed];
    };

    it("“Progress is tracked exclusively through atomic increments to the parent job's progress_current counter”: each batch once, and the last one closes the parent", async () => {
      const batches = Array.from({ length: 40 }, (_, n) => ({ n: 1_000 + n }));
      const id = await submit("failWhenSettled", { batches });
      const seen: number[] = [];
      await patiently("it has succeeded", async () => {
        const { status, progress } = await task(id);
        if (progress?.total === 40) seen.push(progress.current);
        return status === "completed";
      });
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
        "progress never goes back",
      );
      const { children, progress } = await task(id);
      assert.deepEqual([children, progress.current], [{ total: 40, done: 40, failed: 0 }, 40]);
      assert.deepEqual(
        ran.filter((n) => n >= 1_000 && n < 2_000).toSorted((a, b) => a - b),
        batches.map(({ n }) => n),
      );
      assert.deepEqual(await names(id), ["job.created", "job.started", "job.dispatched", "job.succeeded"]);
      assert.equal((await events(id)).at(-1).data.via, "last_batch_stored");
      const rows = the(200, await admin.get(`/tasks/${id}/children`));
      assert.deepEqual(rows.items, [], "“without a Job row”");
      await patiently("all have told of it", async () => {
        const { items } = the(200, await admin.get(`/tasks/${id}/logs?limit=500`));
        return items.filter(({ event }: { event: string }) => event === "child.stored").length === 40;
      });
    });

    it("a coordinator with zero batches is an ordinary success", async () => {
      const id = await submit("failWhenSettled", { batches: [] });
      await is(id, "completed");
      assert.deepEqual(await names(id), ["job.created", "job.started", "job.succeeded"]);
    });

    it("some batches that fail close the parent, or not, as its onChildFailure says; all that fail always do", async () => {
      const some = { batches: [{ n: 1, fails: true }, { n: 2 }, { n: 3 }] };
      const [settled, stalled, all] = [
        await submit("failWhenSettled", some),
        await submit("stall", some),
        await submit("stall", { batches: [{ n: 1, fails: true }] }),
      ];
      const fast = await submit("failFast", {
        batches: [
          { n: 1, fails: true },
          { n: 4, waits: "policy" },
        ],
      });
      for (const id of [settled, all, fast]) await is(id, "failed");
      const codes = await Promise.all([settled, all, fast].map(async (id) => (await task(id)).error_code));
      assert.deepEqual(codes, ["PartialChildFailure", "AllChildrenFailed", "PartialChildFailure"]);
      assert.deepEqual(
        [await counts(settled), await counts(fast)],
        [
          [2, 1],
          [0, 1],
        ],
      );
      await patiently("all of the third are counted", async () => `${await counts(stalled)}` === "2,1");
      assert.equal((await task(stalled)).status, "running");
      held.policy.open();
    });

    it("a cancel cascades to pending and running children, and batches that come later skip their work", async () => {
      const entered = gate();
      const parents = new OperationRegistry().register({
        ...{ name: "family", execute: () => new OperationResult({ deferred: true, progressTotal: 3 }) },
      });
      parents.register({
        name: "member",
        execute: (_, __, { signal }) =>
          new Promise((resolve) => {
            void entered.pass();
            signal.addEventListener("abort", () => resolve({}));
          }),
      });
      const queue = await broker.queue();
      scene.consume(parents, { queue });
      const id = await submit("family", {}, { queue });
      await broker.tell(queue, id);
      await patiently("it is dispatched", async () => (await names(id)).includes("job.dispatched"));
      const running = await submit("member", {}, { queue, parent_id: id });
      await broker.tell(queue, running);
      await entered.entered;
      const pending = await submit("member", {}, { queue: `${jobs}.nobody`, parent_id: id });
      assert.equal(the(200, await admin.post(`/tasks/${id}/cancel`)).cancelled_children, 2);
      for (const each of [id, running, pending]) await is(each, "cancelled");
      await broker.send(batch, { operation: "store", job_id: id, index: 0, payload: { n: 7_000 } });
      await broker.send(batch, { operation: "store", payload: { n: 7_001 } });
      await patiently("the one without a parent has run", () => ran.includes(7_001));
      assert.ok(!ran.includes(7_000));
      assert.deepEqual(await counts(id), [0, 0]);
    });

    it("messages without an index are counted each time, and the parent says so", async () => {
      const id = await submit("failWhenSettled", { batches: [{ n: 8_000, waits: "index" }, { n: 8_001 }] });
      await patiently("one is counted", async () => (await counts(id))[0] === 1);
      assert.equal((await task(id)).children.unindexed, undefined);
      await broker.send(write, { operation: "store", job_id: id, payload: { n: 8_002 } });
      await is(id, "completed");
      assert.equal((await task(id)).children.unindexed, true);
      held.index.open();
    });
  });
}
