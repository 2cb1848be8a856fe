import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { settled, world } from "../../testing/world.ts";
import { following } from "./following.ts";
import type { TaskView } from "./task-views.ts";

const ada: Principal = { user: "ada", role: "user", rooms: null, jobs: null, token: null };

test("what is heard while a follower looks by itself is told at once", async () => {
  const w = await world();
  const { card } = await w.submit(await w.job());
  let gate: Promise<void> = Promise.resolve();
  const follow = following(w.around, {
    views: { view: async (record: unknown) => ({ record }) } as never,
    sight: {
      async record() {
        const seen = await w.task(card.id);
        await gate;
        return seen;
      },
    } as never,
  });
  const news = follow(ada, card.id, { signal: new AbortController().signal, logsFrom: null });
  assert.equal(((await news.next()).value as TaskView).record.row.state, "pending");

  const still = news.next();
  await settled();
  w.clock.advance(15_000);
  assert.equal((await still).value, "still");

  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const next = news.next();
  await settled();
  await w.engine.cancel({ id: card.id, actor: "ada" });
  resolve();
  await settled();
  const told = await Promise.race([next, settled().then(() => null)]);
  assert.equal((told?.value as TaskView | undefined)?.record.row.state, "cancelled");
  await w.stop();
});
