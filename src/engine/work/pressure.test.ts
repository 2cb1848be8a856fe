import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { taskId } from "../../testing/builders.ts";
import { house, job } from "../../testing/work-house.ts";
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

test("a flood of results of tasks that a worker never had waits at the worker, not in the server", async () => {
  const answers: (() => void)[] = [];
  const between = (store: Store): Store => ({
    ...store,
    async read(kind, query) {
      if (kind === "tasks") await new Promise<void>((resolve) => answers.push(resolve));
      return store.read(kind, query);
    },
  });
  const h = await house({ between });
  await h.job(job);
  const crew = await h.connect();
  const move = { type: "complete", result: "{}" } as const;
  let frames = 0;
  for (; frames < 100 && crew.session.relief() === null; frames += 1) {
    const results = Array.from({ length: 1_000 }, (_, index) => ({ task: taskId(index), attempt: 1 + frames, move }));
    await crew.say({ results });
  }
  assert.ok(frames < 100, `${frames} frames were taken, and nothing of it was written`);
});
