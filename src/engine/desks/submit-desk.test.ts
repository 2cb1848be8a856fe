import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { JobRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import { world } from "../../testing/world.ts";
import { desks } from "./desks.ts";

const ada: Principal = { user: "ada", role: "user", rooms: null, jobs: null, token: null };
const job = "@global:specs:print";
const [old, young] = [{ required: ["n"] }, { required: ["pages"] }];
const how = { pointer: () => "" };

/** Knows of schemas only which properties they require. */
const schemas: Schemas = {
  check: () => undefined,
  validator: (text) => (payload) => {
    const { required } = JSON.parse(text) as { readonly required: readonly string[] };
    const lacking = required.filter((name) => !(name in (payload as object)));
    return lacking.map((name) => ({ pointer: `/${name}`, detail: "is required" }));
  },
};

/** The old schema is registered; the new one is too, the moment before the next tasks are written. */
async function changing() {
  let before: (() => Promise<unknown>) | null = null;
  const w = await world({
    schemas,
    between: (store) => ({
      ...store,
      async submit(calls) {
        const change = before;
        before = null;
        await change?.();
        return store.submit(calls);
      },
    }),
  });
  await w.engine.specs.put([{ name: job, schema: old }]);
  const { submits } = desks(w.around, { operations: w.engine, schemas });
  return {
    ...w,
    submits,
    submit: (read: object) => submits.submit(ada, "lab", [{ job, payload: JSON.stringify(read), read }], how),
    change() {
      before = () => w.engine.specs.put([{ name: job, schema: young }]);
    },
  };
}

const refusedAt = (pointer: string) => (error: unknown) =>
  error instanceof Problem && error.code === "invalid-request" && error.errors[0]?.pointer === pointer;

test("a payload that was checked by a schema which is replaced meanwhile is checked by the new one", async (t) => {
  const { submit, change, engine, store, stop } = await changing();
  t.after(stop);
  change();
  await assert.rejects(submit({ n: 1 }), refusedAt("/payload/pages"));
  assert.equal((await store.read("taskList", { limit: 9, offset: 0 })).total, 0);
  const [view] = await submit({ pages: 1 });
  assert.equal(view?.record.card.checksum, (engine.catalog.job(job) as JobRecord).checksum);
});

test("one that both schemas admit is accepted, for the new one", async (t) => {
  const { submit, change, engine, stop } = await changing();
  t.after(stop);
  change();
  const [view] = await submit({ n: 1, pages: 1 });
  assert.equal(view?.record.card.checksum, (engine.catalog.job(job) as JobRecord).checksum);
  assert.equal(engine.catalog.job(job)?.spec.schema, JSON.stringify(young));
});

test("a task of an older schema is run again only where the new one admits its payload", async (t) => {
  const { submit, submits, engine, stop } = await changing();
  t.after(stop);
  const [one, both] = [await submit({ n: 1 }), await submit({ n: 1, pages: 1 })].map(([view]) => view?.record.card.id);
  for (const id of [one, both]) await engine.cancel({ id: id as string, actor: "ada" });
  await engine.specs.put([{ name: job, schema: young }]);
  await assert.rejects(submits.retry(ada, one as string), refusedAt("/payload/pages"));
  assert.equal((await submits.retry(ada, both as string)).record.card.retryOf, both);
});
