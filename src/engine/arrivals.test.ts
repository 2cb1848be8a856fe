import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { Store } from "../ports/store.ts";
import { world } from "../testing/world.ts";

test("workers that come together are written together, and one that is refused takes no other with it", async () => {
  let amends = 0;
  const between = (store: Store): Store => ({
    ...store,
    amend(...args) {
      amends += 1;
      return store.amend(...args);
    },
  });
  const w = await world({ between });
  const job = await w.job();
  const theirs = await w.engine.workers.register({ profile: "work", owner: "bob", jobs: new Map() });
  amends = 0;
  const comes = Array.from({ length: 50 }, () => w.worker([job]));
  const refused = w.engine.workers.register({ id: theirs.id, profile: "work", owner: "ada", jobs: new Map() });
  await assert.rejects(refused, (error) => error instanceof Problem && error.code === "forbidden");
  const ids = await Promise.all(comes);
  assert.equal(new Set(ids).size, 50);
  assert.ok(ids.every((id) => w.engine.catalog.worker(id) !== undefined));
  assert.ok(amends <= 3, `${amends} transactions`);
});

test("a worker that comes twice at once is there once, by what it said last", async () => {
  const w = await world();
  const { id } = await w.engine.workers.register({ profile: "work", owner: "ada", jobs: new Map() });
  const names = ["first", "second"];
  await Promise.all(
    names.map((name) => w.engine.workers.register({ id, profile: "work", owner: "ada", name, jobs: new Map() })),
  );
  assert.equal(w.engine.catalog.worker(id)?.name, "second");
});

test("of many that come back at once each loses what it held when it was given up, and nothing else", async () => {
  const w = await world();
  const job = await w.job();
  const [lost, alive] = [await w.worker([job]), await w.worker([job])];
  const [first, second] = [await w.submit(job), await w.submit(job)];
  await w.claim(lost);
  await w.claim(alive);
  const record = w.engine.catalog.worker(lost);
  await w.engine.workers.fence(lost, "worker.offline", () => record !== undefined);
  const again = [lost, alive].map((id) =>
    w.engine.workers.register({ id, profile: "work", owner: "someone", jobs: new Map([[job, null]]) }),
  );
  await Promise.all(again);
  assert.equal((await w.task(first.card.id)).row.state, "pending");
  assert.equal((await w.task(second.card.id)).row.worker, alive);
});
