import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { taskId } from "../../testing/builders.ts";
import { type Crew, house, job } from "../../testing/work-house.ts";
import { settled } from "../../testing/world.ts";
import { pressure } from "./pressure.ts";

test("whoever says more than can be written is not listened to until half of it is", async () => {
  const under = pressure();
  let write = (): void => {};
  const first = new Promise<void>((resolve) => {
    write = resolve;
  });
  under.add(40 * 1_048_576, first);
  assert.equal(under.relief(), null);
  const second = Promise.withResolvers<void>();
  under.add(30 * 1_048_576, second.promise);
  let heard = false;
  under.relief()?.then(() => {
    heard = true;
  });
  await settled(1);
  assert.equal(heard, false);
  write();
  await settled(1);
  assert.deepEqual([heard, under.relief()], [true, null]);
  second.resolve();
});

/** No task is read any more, once it is stuck. */
function sticking() {
  let isStuck = false;
  const between = (store: Store): Store => ({
    ...store,
    read: (kind, query) => (isStuck && kind === "tasks" ? new Promise(() => undefined) : store.read(kind, query)),
  });
  return {
    between,
    stick() {
      isStuck = true;
    },
  };
}

/** Tells ends of tasks that the worker never had until it is not listened to; answers how many frames that took. */
async function flood(crew: Crew): Promise<number> {
  const move = { type: "complete", result: "{}" } as const;
  let frames = 0;
  for (; frames < 100 && crew.session.relief() === null; frames += 1) {
    const results = Array.from({ length: 1_000 }, (_, index) => ({ task: taskId(index), attempt: 1 + frames, move }));
    await crew.say({ acked: 0, results });
  }
  return frames;
}

test("a flood of results of tasks that a worker never had waits at the worker, not in the server", async () => {
  const { between, stick } = sticking();
  const h = await house({ between });
  await h.job(job);
  const crew = await h.connect();
  stick();
  const frames = await flood(crew);
  assert.ok(frames < 100, `${frames} frames were taken, and nothing of it was written`);
});

test("a worker that is not listened to for long is there as long as it speaks, and keeps what it has", async () => {
  const { between, stick } = sticking();
  const h = await house({ between });
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 1, acked: 0 });
  await h.submit(job);
  await settled();
  assert.equal(crew.got.length, 1);
  stick();
  await flood(crew);
  for (let second = 0; second < 8; second += 1) {
    await h.pass(1_000);
    crew.session.alive();
    // What it said before it had seen its task, and said it has, comes late.
    if (second === 3) await crew.say({ acked: 0 });
    crew.session.tick();
  }
  await settled();
  assert.deepEqual([crew.closed, crew.cancelled], [[], []]);
});

test("a worker that was not listened to for long is not taken for deaf by what it said meanwhile", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect({ echo: true });
  const nonces: number[] = [];
  for (let second = 0; second < 8; second += 1) {
    await h.pass(1_000);
    nonces.push(crew.session.tick());
    crew.session.alive();
  }
  for (const echo of nonces) await crew.say({ acked: 0, echo });
  const { items } = await h.store.read("workerEvents", { worker: crew.session.worker, limit: 50, offset: 0 });
  assert.deepEqual(
    items.map(({ type }) => type),
    ["worker.registered"],
  );
});
