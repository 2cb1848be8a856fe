import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { taskSearch } from "./task-search.ts";

const pick = { now: 0, conditions: [] };
const ada = { user: "ada", token: "a" };
const wanted = { limit: 10, offset: 0, before: null, payloads: false };

/** A store that answers when it is told to. */
function slowStore() {
  const answers: (() => void)[] = [];
  const read = () =>
    new Promise((resolve) => answers.push(() => resolve({ found: [], through: null, seen: 0 }))) as never;
  return { answers, store: { read } as unknown as Pick<Store, "read"> };
}

test("however many search, only a few have the store look at once, and all have their turn", async () => {
  const { answers, store } = slowStore();
  const search = taskSearch({ store: store as Store, clock: manualClock() });
  const pages = Array.from({ length: 40 }, () => search.page(ada, pick, wanted));
  const counts = Array.from({ length: 20 }, () => search.count(ada, pick));
  const found = Promise.all([...pages, ...counts]);
  let answered = 0;
  for (; answered < 60; answered += 1) {
    await new Promise(setImmediate);
    assert.ok(answers.length <= 6, `${answers.length} looks at once`);
    answers.shift()?.();
  }
  assert.equal((await found).length, 60);
});

test("who waits for too many of his own is told to come again, and others have their turn next", async () => {
  const { answers, store } = slowStore();
  const search = taskSearch({ store: store as Store, clock: manualClock() });
  for (let nth = 0; nth < 104; nth += 1) void search.page(ada, pick, wanted);
  await assert.rejects(search.page(ada, pick, wanted), { code: "rate-limited", retryAfterSeconds: 1 });
  const session = { user: "ada", token: "s", countedWith: "a" };
  await assert.rejects(search.page(session, pick, wanted), { code: "rate-limited" }, "his sessions are he");
  const other = search.page({ user: "bob", token: "b" }, pick, wanted);
  // One of hers that waits, and then his.
  for (let turn = 0; turn < 6; turn += 1) {
    answers.shift()?.();
    await new Promise(setImmediate);
  }
  assert.deepEqual((await other).items, []);
});
