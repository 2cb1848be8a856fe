// Who may begin an act, how many of them, and when one must not go on.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { until } from "../../testing/until.ts";
import { world } from "../../testing/world.ts";
import { acts } from "../control/acts.ts";
import { actDesk } from "./act-desk.ts";

const ada: Principal = { user: "ada", role: "user", rooms: null, jobs: null, token: null };

async function actScene({ count = 0, exact = true, tasks = 0, gate = Promise.resolve() } = {}) {
  const found: number[] = [];
  const w = await world({ between: (store) => ({ ...store, find: countingFinds(store, found) }) });
  const { around, engine, store, clock } = w;
  const job = await w.job();
  for (let made = 0; made < tasks; made += 1) await w.submit(job);
  const tried: string[] = [];
  const operations = { acts: acts(around), catalog: engine.catalog };
  const desk = actDesk(around, {
    operations,
    tasks: { count: async () => ({ count, exact, byState: {} }) } as never,
    settles: {
      cancel: async (_: Principal, id: string) => {
        tried.push(id);
        await gate;
        return {} as never;
      },
    },
    submits: { retry: async () => ({}) as never },
  });
  return { desk, tried, store, clock, engine, found };
}

/** How many items of the outbox each look has found. */
function countingFinds({ find }: Pick<Store, "find">, counts: number[]): Store["find"] {
  return async (kind, query) => {
    const answer = await find(kind, query);
    if (kind === "outbox") counts.push((answer as readonly unknown[]).length);
    return answer;
  };
}

const words = { act: "cancel", q: "", note: null, expect: null } as const;

function aToken(id: string, words: Partial<TokenRecord>): TokenRecord {
  return {
    ...{ id, kind: "api", parent: null, hash: id, name: null, user: "ada", role: "user", rooms: null, jobs: null },
    ...{ createdAt: 0, expiresAt: null, revokedAt: null },
    ...words,
  };
}

test("what could not be counted in time is not what was expected", async () => {
  const { desk } = await actScene({ count: 3, exact: false });
  await assert.rejects(desk.begin(ada, { ...words, expect: 1_000 }), { code: "precondition-failed" });
  const counted = await actScene({ count: 3 });
  assert.equal((await counted.desk.begin(ada, { ...words, expect: 3 })).state, "running");
  await assert.rejects(counted.desk.begin(ada, { ...words, expect: 2 }), { code: "precondition-failed" });
  await desk.quiet();
  await counted.desk.quiet();
});

test("an act that was begun with a token, or in a session of it, ends when the token is revoked", async () => {
  for (const token of ["api", "session"]) {
    const { desk, store, tried, engine } = await actScene();
    const tokens = [
      aToken("api", { revokedAt: 1 }),
      aToken("session", { kind: "session", parent: "api", expiresAt: 1e15 }),
    ];
    await store.amend({}, () => ({ answer: null, tokens }));
    await engine.catalog.refresh();
    const { id } = await desk.begin({ ...ada, token }, words);
    await until("it is over", async () => (await desk.get(ada, id)).finishedAt !== null);
    assert.equal((await desk.get(ada, id)).state, "stopped", token);
    assert.deepEqual(tried, []);
  }
});

test("an act that was begun in a session goes on after signing out", async () => {
  const { desk, store } = await actScene();
  const tokens = [aToken("api", {}), aToken("session", { kind: "session", parent: "api", revokedAt: 1 })];
  await store.amend({}, () => ({ answer: null, tokens }));
  const { id } = await desk.begin({ ...ada, token: "session" }, words);
  await until("it is done", async () => (await desk.get(ada, id)).state === "done");
});

test("a user has so many acts under way, and keeps nobody else from theirs", async () => {
  const { desk } = await actScene();
  await desk.quiet();
  for (let nth = 0; nth < 10; nth += 1) await desk.begin(ada, words);
  await assert.rejects(desk.begin(ada, words), { code: "rate-limited" });
  assert.equal((await desk.begin({ ...ada, user: "bob" }, words)).state, "running");
});

test("a token for fewer rooms or jobs knows nothing of what its user did with another", async () => {
  const { desk } = await actScene();
  await desk.quiet();
  const everywhere = await desk.begin(ada, words);
  const inLab = await desk.begin({ ...ada, rooms: ["lab"] }, words);
  const limited = { ...ada, rooms: ["lab", "x"] };
  const seen = async (who: Principal) => (await desk.list(who, { limit: 10, offset: 0 })).items.map(({ id }) => id);
  assert.deepEqual(await seen(limited), [inLab.id]);
  assert.deepEqual(await seen({ ...ada, jobs: ["lab:*"] }), []);
  assert.equal((await seen(ada)).length, 2);
  await assert.rejects(desk.stop(limited, everywhere.id), { code: "act-not-found" });
  assert.equal((await desk.stop(limited, inLab.id)).state, "stopped");
});

test("an act that is stopped in the middle of a turn counts it", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { desk, tried } = await actScene({ tasks: 150, gate });
  const { id } = await desk.begin(ada, words);
  await until("the first turn is under way", () => tried.length === 100);
  assert.equal((await desk.stop(ada, id)).state, "stopped");
  open();
  await desk.quiet();
  const { state, matched, done, skipped, failed } = await desk.get(ada, id);
  assert.deepEqual([state, matched, done, skipped, failed], ["stopped", 100, 100, 0, 0]);
  assert.equal(tried.length, 100, "and nothing follows it");
});

test("of acts that are over the latest are kept for a day, and no sweep reads them before", async () => {
  const { desk, engine, clock, found } = await actScene();
  const ids: string[] = [];
  for (let nth = 0; nth < 230; nth += 1) {
    const { id } = await desk.begin(ada, words);
    await until("it is over", async () => (await desk.get(ada, id)).finishedAt !== null);
    ids.push(id);
  }
  const { items, total } = await desk.list(ada, { limit: 1, offset: 0 });
  assert.deepEqual([items[0]?.id, total], [ids.at(-1), 201]);
  await assert.rejects(desk.get(ada, ids[0] as string), { code: "act-not-found" });

  found.length = 0;
  await engine.sweeper.tick();
  assert.equal(Math.max(...found), 0);
  clock.advance(24 * 3_600_000);
  for (let sweeps = 0; sweeps < 2; sweeps += 1) await engine.sweeper.tick();
  assert.equal((await desk.list(ada, { limit: 1, offset: 0 })).total, 0);
  await desk.quiet();
});
