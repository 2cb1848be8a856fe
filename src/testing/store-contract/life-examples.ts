import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { aTask, taskId } from "../builders.ts";
import { type MakeStore, type StoreUnderTest, stageOn } from "./stage.ts";

export function lifeExamples(makeStore: MakeStore): void {
  const example = (sentence: string, body: (given: StoreUnderTest, other: () => Promise<Store>) => Promise<void>) => {
    test(sentence, { timeout: 60_000 }, async () => {
      const given = await makeStore();
      const running = [given.store];
      try {
        await body(given, async () => {
          // Where there is no second server, the same store is opened again.
          running.push(given.second === undefined ? given.store : await given.second());
          return running.at(-1) as Store;
        });
      } finally {
        for (const store of running) await store.stop();
        await given.dispose();
      }
    });
  };

  example("a store that is started says what it is, and has a secret", async ({ store }) => {
    const { secret, width } = await store.start();
    assert(secret.length > 0);
    assert(Number.isInteger(width) && width >= 1);
  });

  example("a store may be stopped twice, and the next to open it finds all it accepted", async ({ store }, other) => {
    const before = await store.start();
    const stage = stageOn(store);
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const [task, catalog] = [await stage.task(taskId(1)), await store.read("catalog", { after: 0 })];
    await store.stop();
    await store.stop();
    const next = await other();
    assert.deepEqual(await next.start(), before, "the secret too");
    assert.deepStrictEqual(await stageOn(next).task(taskId(1)), task);
    assert.deepStrictEqual(await next.read("catalog", { after: 0 }), catalog);
  });

  example("servers on one database have one secret and see each other's work", async ({ store, second }, other) => {
    const info = await store.start();
    const beside = await other();
    assert.deepEqual(await beside.start(), info);
    assert.equal(info.shared, second !== undefined);
    const stage = stageOn(store);
    const lane = await stage.begin();
    await stageOn(beside).submit(aTask({ lane }));
    assert.equal((await stage.claim(lane)).card.id, taskId(1));
  });
}
