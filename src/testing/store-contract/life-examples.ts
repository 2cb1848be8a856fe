import assert from "node:assert/strict";
import { test } from "node:test";
import { aTask, taskId } from "../builders.ts";
import { type MakeStore, stageOn } from "./stage.ts";

export function lifeExamples(makeStore: MakeStore): void {
  test("a store that is started says what it is, and has a secret", { timeout: 60_000 }, async () => {
    const { store, dispose } = await makeStore();
    const { secret, width } = await store.start();
    assert(secret.length > 0);
    assert(Number.isInteger(width) && width >= 1);
    await store.stop();
    await dispose();
  });

  test("a store may be stopped twice, and what it accepted is there when it is started again", {
    timeout: 60_000,
  }, async () => {
    const { store, dispose } = await makeStore();
    const before = await store.start();
    const stage = stageOn(store);
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const [task, catalog] = [await stage.task(taskId(1)), await store.read("catalog", { after: 0 })];
    await store.stop();
    await store.stop();
    assert.deepEqual(await store.start(), before, "the secret too");
    assert.deepStrictEqual(await stage.task(taskId(1)), task);
    assert.deepStrictEqual(await store.read("catalog", { after: 0 }), catalog);
    await store.stop();
    await dispose();
  });

  test("servers on one database have one secret and see each other's work", { timeout: 60_000 }, async () => {
    const { store, second, dispose } = await makeStore();
    const info = await store.start();
    const other = second === undefined ? store : await second();
    assert.deepEqual(await other.start(), info);
    assert.equal(info.shared, second !== undefined);
    const stage = stageOn(store);
    const lane = await stage.begin();
    await stageOn(other).submit(aTask({ lane }));
    assert.equal((await stage.claim(lane)).card.id, taskId(1));
    await other.stop();
    await store.stop();
    await dispose();
  });
}
