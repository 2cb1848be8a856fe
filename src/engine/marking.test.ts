import assert from "node:assert/strict";
import { test } from "node:test";
import { type MarkChunk, markKey, population, type ToldMark } from "../core/marks.ts";
import type { Policy } from "../core/policy.ts";
import { Problem } from "../core/problem.ts";
import type { Store } from "../ports/store.ts";
import { seededRandom } from "../testing/seeded-random.ts";
import { type World, world } from "../testing/world.ts";

const done = (index: number | null): ToldMark => ({ index, failed: false, error: null });
const failed = (index: number, error = "no"): ToldMark => ({ index, failed: true, error });
const upTo = (count: number): number[] => [...Array(count).keys()];

/** Sees the marks that were written, and how many commits there were. */
function marksSeen() {
  const kept = new Map<string, MarkChunk>();
  let commits = 0;
  const between = (store: Store): Store => ({
    ...store,
    amend: (scope, decide) => {
      if (scope.marks === undefined) return store.amend(scope, decide);
      commits += 1;
      return store.amend(scope, (view) => {
        const amendment = decide({ ...view, marks: new Map(kept) });
        if (!("families" in amendment)) for (const chunk of amendment.marks ?? []) kept.set(markKey(chunk), chunk);
        return amendment;
      });
    },
  });
  return { between, kept, commits: () => commits };
}

async function coordinator(w: World, total: number | null, policy: Policy = {}): Promise<string> {
  const job = await w.job("@global:modifiers:Coordinate", policy);
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  if (total !== null) await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "defer", total });
  return card.id;
}

test("callers of one moment share one commit, one move and one event", async () => {
  const seen = marksSeen();
  const w = await world({ between: seen.between });
  const id = await coordinator(w, 100);
  const first = w.engine.count(id, [done(0)]);
  await Promise.all([first, ...upTo(49).map((n) => w.engine.count(id, [done(n + 1)]))]);
  assert.equal((await w.task(id)).row.children?.done, 50);
  const counts = (await w.history(id)).filter((type) => type === "counted");
  assert.ok(counts.length <= 2, `${counts.length} events for fifty marks`);
  assert.equal(seen.commits(), counts.length);
});

test("however often and in whichever order messages come, each counts once, and the last ends the parent", async () => {
  const seen = marksSeen();
  const w = await world({ between: seen.between });
  const id = await coordinator(w, 300);
  const random = seededRandom(7);
  const told = [...upTo(300), ...upTo(300), ...upTo(100)].map((index) => ({ index, at: random.fraction() }));
  const order = told.sort((a, b) => a.at - b.at).map(({ index }) => index);
  for (let at = 0; at < order.length; at += 70) {
    const part = order.slice(at, at + 70);
    await Promise.all(upTo(7).map((n) => w.engine.count(id, part.filter((_, nth) => nth % 7 === n).map(done))));
  }
  const { row, outcome } = await w.task(id);
  assert.deepEqual([row.state, row.children?.done, row.children?.failed], ["completed", 300, 0]);
  assert.equal(outcome?.error, null);
  const [chunk] = [...seen.kept.values()];
  assert.equal(population(chunk?.done as Uint8Array), 300);
  const { items } = await w.store.read("events", { task: id, limit: 500, offset: 0 });
  assert.deepEqual(
    items.filter(({ state }) => state === "completed").map(({ data }) => JSON.parse(data as string)),
    [{ total: 300, done: 300, failed: 0, via: "last_batch_stored" }],
  );
});

test("repeats are no move: nothing is written, and the answer says how the task stands", async () => {
  const seen = marksSeen();
  const w = await world({ between: seen.between });
  const id = await coordinator(w, 3);
  await w.engine.count(id, [done(0), failed(1)]);
  const { version } = (await w.task(id)).row;
  const again = await w.engine.count(id, [done(0), done(1), failed(0)]);
  assert.deepEqual([again.state, again.children?.done, again.children?.failed], ["running", 1, 1]);
  assert.equal((await w.task(id)).row.version, version);
});

test("what has no index counts every time, and the parent says so", async () => {
  const w = await world({ between: marksSeen().between });
  const id = await coordinator(w, 3);
  await w.engine.count(id, [done(null)]);
  const { children } = await w.engine.count(id, [done(null)]);
  assert.deepEqual([children?.done, children?.unindexed], [2, true]);
});

test("a request that comes again counts once, and another one under its key is refused", async () => {
  const w = await world();
  const id = await coordinator(w, 9);
  const digest = (byte: number): Uint8Array => new Uint8Array(16).fill(byte);
  const note = { key: digest(1), body: digest(2) };
  const twice = [done(null), done(null)];
  const answers = await Promise.all([1, 2, 3].map(() => w.engine.count(id, twice, note)));
  for (const { children } of [...answers, await w.engine.count(id, twice, note)]) assert.equal(children?.done, 2);
  await assert.rejects(w.engine.count(id, twice, { ...note, body: digest(3) }), { code: "idempotency-conflict" });
  await w.engine.count(id, twice, { ...note, key: digest(4) });
  assert.equal((await w.task(id)).row.children?.done, 4);
});

test("a request that was refused has not come yet", async () => {
  const w = await world();
  const id = await coordinator(w, 2);
  const note = { key: new Uint8Array(16), body: new Uint8Array(16) };
  await assert.rejects(w.engine.count(id, [done(null), done(2)], note), { code: "invalid-request" });
  const { children } = await w.engine.count(id, [done(null)], note);
  assert.equal(children?.done, 1);
});

test("a parent keeps three reasons of its messages' failures, and fails as its policy says", async () => {
  const w = await world({ between: marksSeen().between });
  const all = await coordinator(w, 5);
  await w.engine.count(
    all,
    ["a", "b", "a", "c", "d"].map((error, index) => failed(index, error)),
  );
  const { row, outcome } = await w.task(all);
  assert.deepEqual([outcome?.error?.code, row.children?.errors], ["AllChildrenFailed", ["a", "b", "c"]]);
  const some = await coordinator(w, 2);
  await w.engine.count(some, [failed(0)]);
  assert.equal((await w.task(some)).row.state, "running");
  await w.engine.count(some, [done(1)]);
  assert.equal((await w.task(some)).outcome?.error?.code, "PartialChildFailure");
  const fast = await coordinator(w, 9, { onChildFailure: "failFast" });
  assert.equal((await w.engine.count(fast, [failed(4)])).state, "failed");
});

test("on a task that is over nothing is counted, and nobody is refused", async () => {
  const w = await world({ between: marksSeen().between });
  const id = await coordinator(w, 2);
  await w.engine.cancel({ id, actor: "ada" });
  const answer = await w.engine.count(id, [done(0), done(1)]);
  assert.deepEqual([answer.state, answer.children?.done], ["cancelled", 0]);
  const unknown = w.engine.count("01993d6c-7a10-7000-8000-3f5b6c1d2e3f", [done(0)]);
  await assert.rejects(unknown, (error) => error instanceof Problem && error.code === "task-not-found");
});

test("messages that are faster than their coordinator's deferral are counted", async () => {
  const w = await world({ between: marksSeen().between });
  const job = await w.job("@global:modifiers:Coordinate");
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  await w.engine.count(card.id, [done(0), done(1)]);
  assert.equal((await w.task(card.id)).row.state, "running");
  await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "defer", total: 2 });
  assert.equal((await w.task(card.id)).row.state, "completed");
});

test("a coordinator that its messages end counts on its own parent", async () => {
  const w = await world({ between: marksSeen().between });
  const job = await w.job("@global:modifiers:Coordinate");
  const worker = await w.worker([job], { profile: "amqp" });
  const parent = await w.submit(job);
  await w.claim(worker);
  const child = await w.submit(job, { parent: parent.card.id });
  await w.engine.settle(parent.card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  await w.claim(worker);
  await w.engine.settle(child.card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  await w.engine.count(child.card.id, [done(0)]);
  await w.pass(2_000);
  assert.equal((await w.task(parent.card.id)).row.state, "completed");
});

test("an index beyond what the coordinator waits for counts nothing, and spoils nobody else's count", async () => {
  const w = await world({ between: marksSeen().between });
  const id = await coordinator(w, 3);
  const first = w.engine.count(id, [done(0)]);
  const [stray, last] = await Promise.allSettled([
    w.engine.count(id, [done(1), done(3)]),
    w.engine.count(id, [done(2)]),
    first,
  ]);
  assert.match(
    stray.status === "rejected" ? stray.reason.message : "",
    /^\/marks\/1\/index is 3; the task waits for 3/,
  );
  assert.equal(last.status, "fulfilled");
  const { row } = await w.task(id);
  assert.deepEqual([row.state, row.children?.done], ["running", 2]);
  await w.engine.count(id, [done(1)]);
  assert.equal((await w.task(id)).row.state, "completed");
});

test("marks of many chunks are kept in chunks", async () => {
  const seen = marksSeen();
  const w = await world({ between: seen.between });
  const id = await coordinator(w, 100_000);
  await w.engine.count(id, [done(0), done(8_191), done(8_192), done(99_999)]);
  assert.deepEqual(
    [...seen.kept.values()].map(({ chunk }) => chunk),
    [0, 1, 12],
  );
  assert.equal((await w.task(id)).row.children?.done, 4);
});
