import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../ports/store.ts";
import { recordedBus } from "../testing/recorded-bus.ts";
import { world } from "../testing/world.ts";

const job = "lab:modifiers:Rotate";

/** A world, what was published in it for watchers, and a way to watch. */
async function scene(between: (store: Store) => Store = (store) => store) {
  const bus = recordedBus();
  const heard: { readonly topic: string; readonly event: string; readonly data: Record<string, unknown> }[] = [];
  const made = await world({ bus, between });
  const watch = (topic: string): void => {
    bus.subscribe(topic, (message) => {
      const [event, data] = JSON.parse(message);
      heard.push({ topic, event, data });
    });
  };
  return { ...made, bus, heard, watch };
}

test("where nobody watches nothing is built", async (t) => {
  const by = await scene();
  t.after(by.stop);
  await by.job(job);
  const worker = await by.worker([job]);
  const { card } = await by.submit(job, { room: "lab" });
  await by.claim(worker, 1, true);
  await by.engine.settle(card.id, { worker, attempt: 1 }, { type: "complete", result: null });
  const forWatchers = by.bus.published.filter(({ topic }) => /^(?:jobs|room):/.test(topic));
  assert.deepEqual(forWatchers, []);
  assert.ok(by.bus.published.length > 0);
});

test("a task that is claimed while its place is counted is told of in order, each state once", async (t) => {
  let counted = (): void => undefined;
  const counting = new Promise<void>((resolve) => {
    counted = resolve;
  });
  const slowly = (store: Store): Store => ({
    ...store,
    read: async (kind, query) => {
      if (kind === "positions") await counting;
      return store.read(kind, query);
    },
  });
  const by = await scene(slowly);
  t.after(by.stop);
  await by.job(job);
  const worker = await by.worker([job]);
  by.watch("room:lab");
  await by.submit(job, { room: "lab" });
  await by.claim(worker, 1, true);
  counted();
  await by.pass(10);
  assert.deepEqual(
    by.heard.map(({ data }) => [data["status"], data["version"]]),
    [
      ["pending", 1],
      ["running", 2],
    ],
  );
});

test("progress changes nothing that viewers are told", async (t) => {
  const by = await scene();
  t.after(by.stop);
  await by.job(job);
  const worker = await by.worker([job]);
  const { card } = await by.submit(job, { room: "lab" });
  await by.claim(worker, 1, true);
  by.watch("room:lab");
  await by.engine.progress(card.id, { holder: { worker, attempt: 1 } }, { current: 1, total: 2, message: null });
  await by.pass(2_000);
  assert.equal((await by.task(card.id)).row.progress?.current, 1);
  assert.equal(by.heard.length, 0);
});

test("of very many tasks submitted in one call the first hundred wake the workers, and all are told to viewers", async (t) => {
  const by = await scene();
  t.after(by.stop);
  await by.job(job);
  by.watch(`jobs:${job}`);
  by.watch("room:lab");
  const one = { job, room: "lab", payload: "{}", submitter: null };
  await by.engine.submit(Array.from({ length: 150 }, () => one) as never);
  await by.pass(10);
  const count = (event: string) => by.heard.filter((each) => each.event === event).length;
  assert.deepEqual([count("task_available"), count("task_status_event")], [100, 150]);
});

test("jobs of the server itself wake nobody, and are told of when they are claimed", async (t) => {
  const by = await scene();
  t.after(by.stop);
  const internal = "@internal:modifiers:Inside";
  await by.job(internal);
  by.watch(`jobs:${internal}`);
  by.watch("room:lab");
  await by.submit(internal, { room: "lab" });
  await by.pass(10);
  assert.equal(by.heard.length, 0);
  const inside = await by.worker([internal], { profile: "internal", owner: null });
  await by.claim(inside, 1, false);
  assert.deepEqual(
    by.heard.map(({ event, data }) => [event, data["status"], data["worker_id"]]),
    [["task_status_event", "claimed", null]],
  );
});
