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
