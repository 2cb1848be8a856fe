import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, specChecksum } from "../core/checksum.ts";
import { Problem } from "../core/problem.ts";
import type { Schemas } from "../ports/schemas.ts";
import type { Store } from "../ports/store.ts";
import { settled, type World, world } from "../testing/world.ts";

const job = "@global:modifiers:Rotate";
const [first, second]: Json[] = [{ title: "first" }, { title: "second" }];

/** The second spec asks for an angle. */
const schemas: Schemas = {
  check() {},
  validator: (schema) => (payload) => {
    const isRefused = schema.includes("second") && !("angle" in (payload as object));
    return isRefused ? [{ pointer: "/angle", detail: "is missing" }] : [];
  },
};

async function workerOf(w: World, schema: Json | undefined): Promise<string> {
  const jobs = new Map([[job, specChecksum({ schema: schema as Json })]]);
  return (await w.engine.workers.register({ profile: "work", owner: "ada", jobs })).id;
}

test("a claim that was under way when the spec changed hands nothing to a worker of the former one", async () => {
  let hold: Promise<void> | null = null;
  const between = (store: Store): Store => ({
    ...store,
    async exchange(...args) {
      await hold;
      return store.exchange(...args);
    },
  });
  const w = await world({ between, schemas });
  await w.job(job, {}, first);
  const [old, young] = [await workerOf(w, first), await workerOf(w, second)];
  const { card } = await w.submit(job, { payload: '{"angle":1}' });
  let open = (): void => {};
  hold = new Promise((resolve) => {
    open = resolve;
  });
  const claim = w.claim(old);
  await settled();
  await w.job(job, {}, second);
  open();
  hold = null;
  assert.deepEqual(await claim, []);
  await settled();
  assert.equal((await w.claim(young))[0]?.card.id, card.id);
  assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "released", "assigned"]);
  assert.equal((await w.task(card.id)).row.losses, 0);
});

test("a payload that the new spec refuses waits, and says so; the others run", async () => {
  const w = await world({ schemas });
  await w.job(job, {}, first);
  const refused = await w.submit(job);
  const fine = await w.submit(job, { payload: '{"angle":1}' });
  await w.job(job, {}, second);
  const worker = await workerOf(w, second);
  assert.deepEqual(
    (await w.claim(worker, 2)).map(({ card }) => card.id),
    [fine.card.id],
  );
  await settled();
  const { row } = await w.task(refused.card.id);
  assert.deepEqual([row.state, row.failures, row.losses], ["pending", 0, 0]);
  const { items } = await w.store.read("events", { task: refused.card.id, limit: 10, offset: 0 });
  assert.match(items.at(-1)?.data ?? "", /payload_refused/);
  await assert.rejects(
    w.engine.take(refused.card.id, worker),
    (error) => error instanceof Problem && /\/angle is missing/.test(error.message),
  );
});

test("a payload that waited runs once the spec takes it again", async () => {
  const w = await world({ schemas });
  await w.job(job, {}, first);
  const { card } = await w.submit(job);
  await w.job(job, {}, second);
  assert.deepEqual(await w.claim(await workerOf(w, second)), []);
  await settled();
  await w.job(job, {}, first);
  const worker = await workerOf(w, first);
  const claim = w.engine.claim({ worker, limit: 1, assign: true, waitMs: 30_000 });
  for (let second = 0; second < 10; second += 1) {
    await w.engine.beat(worker);
    await w.pass(1_000);
  }
  assert.equal((await claim)[0]?.card.id, card.id);
});

test("a server that has not heard of a new spec does not hand its tasks to a worker of the former one", async () => {
  const w = await world({ schemas });
  await w.job(job, {}, first);
  const old = await workerOf(w, first);
  const bus = { start: async () => {}, stop: async () => {}, publish() {}, company() {} };
  const deaf = { ...bus, wanted: () => false, subscribe: () => () => {} };
  const other = await world({ store: w.store, clock: w.clock, source: 2, schemas, bus: deaf });
  await w.job(job, {}, second);
  const { card } = await w.submit(job, { payload: '{"angle":1}' });
  assert.equal(other.engine.catalog.job(job)?.spec.schema, JSON.stringify(first));
  assert.deepEqual(await other.claim(old), []);
  await settled();
  assert.equal((await w.task(card.id)).row.state, "pending");
});

test("what was claimed when the specs could not be looked at goes back, and does not stay with a worker that never got it", async () => {
  let away = false;
  const between = (store: Store): Store => ({
    ...store,
    async read(kind, query) {
      if (away && kind === "catalog") throw new Problem("store-unavailable", "The database is away");
      return store.read(kind, query);
    },
  });
  const w = await world({ between, schemas });
  await w.job(job, {}, first);
  const { card } = await w.submit(job, { payload: '{"angle":1}' });
  await w.job(job, {}, second);
  const worker = await workerOf(w, second);
  away = true;
  assert.deepEqual(await w.claim(worker).catch(() => []), []);
  await settled();
  assert.equal((await w.task(card.id)).row.state, "pending");
  away = false;
  assert.equal((await w.claim(worker))[0]?.card.id, card.id);
  assert.equal((await w.task(card.id)).row.losses, 0);
});
