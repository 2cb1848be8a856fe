import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import { world } from "../testing/world.ts";

const [first, second] = ["@global:specs:first", "@global:specs:second"] as const;

test("of many specs none is registered when one does not find what it expects", async (t) => {
  const { engine, stop } = await world();
  t.after(stop);
  await engine.specs.put([{ name: second, schema: {} }]);
  const refused = engine.specs.put([
    { name: first, schema: {} },
    { name: second, schema: { a: 1 }, expects: "absent" },
  ]);
  await assert.rejects(refused, (error) => error instanceof Problem && error.code === "precondition-failed");
  assert.equal(engine.catalog.job(first), undefined);
  const [a, b] = await engine.specs.put([
    { name: first, schema: {} },
    { name: second, schema: { a: 1 } },
  ]);
  assert.deepEqual([a?.before, b?.before?.spec.schema, b?.job.spec.schema], [null, "{}", '{"a":1}']);
});

test("a spec that was deleted stays so, whichever worker announces it", async (t) => {
  const { engine, clock, stop } = await world();
  t.after(stop);
  const [put] = await engine.specs.put([{ name: first, schema: {} }]);
  await engine.specs.remove(first);
  const jobs = new Map([[first, put?.job.checksum as string]]);
  const { id } = await engine.workers.register({ profile: "work", owner: "ada", jobs });
  await engine.workers.change(id, { jobs });
  assert.equal(engine.catalog.job(first)?.deleted, true);
  clock.advance(5);
  const [again] = await engine.specs.put([{ name: first, schema: {} }]);
  assert.deepEqual([again?.before, again?.job.deleted, again?.job.id], [null, false, put?.job.id]);
  assert.equal(again?.job.checksumAt, clock.now(), "it is the status quo since it came back");
});

test("the time of a checksum stays while only the treatment of tasks changes", async (t) => {
  const { engine, clock, stop } = await world();
  t.after(stop);
  const [put] = await engine.specs.put([{ name: first, schema: {} }]);
  clock.advance(5);
  const [treated] = await engine.specs.put([{ name: first, schema: {}, queue: "slow" }]);
  assert.deepEqual([treated?.job.checksumAt, treated?.job.spec.queue], [put?.job.checksumAt, "slow"]);
  assert.equal(treated?.job.revision, (put?.job.revision as number) + 1);
});

test("a worker by requests whose spec is replaced under it is told of once", async () => {
  const w = await world();
  const name = "@global:modifiers:Rotate";
  const worker = { id: null, owner: "ada" };
  const registered = await w.engine.jobs.register({ name, schema: {}, source: "worker", replace: false, worker });
  const id = registered.worker?.id as string;
  const schema = { type: "object" };
  await w.engine.specs.put([{ name, schema }]);
  await w.engine.specs.put([{ name, schema, queue: "slow" }]);
  const { items } = await w.store.read("workerEvents", { worker: id, limit: 10, offset: 0 });
  assert.deepEqual(
    items.map(({ type }) => type),
    ["worker.registered", "worker.spec_mismatch"],
  );
  const { announced } = JSON.parse(items[1]?.data ?? "{}");
  assert.equal(announced, registered.job.checksum);
});
