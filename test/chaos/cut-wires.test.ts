// One call on an idle server, one cut at a chosen moment: what a caller is told must be what the database says.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defaultProfiles } from "../../src/core/liveness.ts";
import { Problem } from "../../src/core/problem.ts";
import { verify } from "../../src/engine/verify.ts";
import { type Cut, type CuttingProxy, cuttingProxy } from "../../src/testing/cutting-proxy.ts";
import { type Entry, ledgerFaults } from "../../src/testing/ledger.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { type ChaosEngine, chaosEngine } from "./chaos-engine.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";
import { allJobs, prepare, type Scene, scene } from "./scene.ts";
import { completion } from "./working.ts";

const own = await privatePostgres();
const skip = own === undefined && "no PostgreSQL";

interface Wired extends ChaosEngine {
  readonly proxy: CuttingProxy;
  readonly scene: Scene;
  readonly told: Entry[];
}

const on = own === undefined ? (undefined as never) : await wire(own);

async function wire({ postgres, schema }: PrivatePostgres): Promise<Wired> {
  const proxy = await cuttingProxy(postgres.url);
  const place = { url: proxy.url, schema: schema() };
  const running = await chaosEngine(place, { log: recordedLog(), settings: { profiles: defaultProfiles } });
  await prepare(running.engine);
  const told: Entry[] = [];
  const stage = scene({ ...running, seed: 1, name: "cut", note: (entry) => told.push(entry) });
  after(async () => {
    await running.engine.stop();
    await proxy.stop();
    await postgres.stop();
  });
  return { ...running, proxy, scene: stage, told };
}

/** A worker with a queue of its own: what is in it nobody else can claim. */
async function hire(): Promise<{ worker: string; queue: string }> {
  const jobs = new Map(allJobs.map((job) => [job, null]));
  const queue = on.scene.mark();
  const { id } = await on.engine.workers.register({ profile: "rest", owner: null, jobs, queues: [queue] });
  return { worker: id, queue };
}

async function heldTask() {
  const { worker, queue } = await hire();
  answered(await on.scene.submit([{ queue }]));
  const [task] = answered(await on.scene.calls.claim({ worker, limit: 1, assign: true, waitMs: 0 }));
  return { id: task?.card.id as string, holder: { worker, attempt: 1 } };
}

function answered<T>(answer: T | Problem): T {
  assert.ok(!(answer instanceof Problem), `${answer}`);
  return answer;
}

async function history(task: string): Promise<string[]> {
  const { items } = await on.store.read("events", { task, limit: 100, offset: 0 });
  return items.map(({ type }) => type.replace("task.", ""));
}

/** What becomes of a call. */
const losses = {
  request: "question never arrives",
  midway: "wire is cut midway",
  answer: "answer is lost",
} as const satisfies Record<Cut, string>;

/** Cuts the wire that carries this text during the call. */
async function cutDuring<T>(how: Cut, text: string, call: () => Promise<T>): Promise<T> {
  const before = on.proxy.cuts;
  on.proxy.cut(how, text);
  const answer = await call();
  assert.equal(on.proxy.cuts, before + 1, "the wire was cut");
  return answer;
}

for (const [how, lost] of Object.entries(losses) as [Cut, string][]) {
  test(`a submit whose ${lost} is accepted, once`, { skip }, async () => {
    const words = { plain: `plain-${how}` };
    const tasks = answered(await cutDuring(how, words.plain, () => on.scene.submit([{ words }, { words }])));
    for (const { card } of tasks) assert.deepEqual(await history(card.id), ["submitted"]);
  });

  test(`a submit under a key whose ${lost} is accepted, once, and known when it comes again`, { skip }, async () => {
    const key = `key-${how}`;
    const submit = () => on.scene.submit([{ words: { key } }, { words: { key } }], key);
    const [task] = answered(await cutDuring(how, key, submit));
    const [again] = answered(await submit());
    assert.equal(again?.card.id, task?.card.id);
    assert.deepEqual(await history(task?.card.id as string), ["submitted"]);
  });

  test(`a claim whose ${lost} leaves nothing in hands that know nothing of it`, { skip }, async () => {
    const { scene: stage, store } = on;
    const { worker, queue } = await hire();
    await stage.submit([{ queue }, { queue }]);
    const request = { worker, limit: 2, assign: true, waitMs: 0 };
    const claimed = await cutDuring(how, worker, () => stage.calls.claim(request));
    const inHand = claimed instanceof Problem ? [] : claimed.map(({ card }) => card.id).sort();
    await until("the worker holds what it was given", async () => {
      const held = await store.find("held", { workers: [worker], limit: 10 });
      return JSON.stringify([...held].sort()) === JSON.stringify(inHand);
    });
    // What was cut may still be under way at the database, and hold on to them for a moment.
    const rest: string[] = [];
    await until("the others can be claimed", async () => {
      rest.push(...answered(await stage.calls.claim(request)).map(({ card }) => card.id));
      return inHand.length + rest.length >= 2;
    });
    assert.equal(new Set([...inHand, ...rest]).size, 2);
    assert.equal(inHand.length + rest.length, 2);
  });

  test(`a completion whose ${lost} counts, once`, { skip }, async () => {
    const { id, holder } = await heldTask();
    const move = completion(on.scene);
    const { by } = JSON.parse((move as { result: string }).result) as { by: string };
    const { row } = answered(await cutDuring(how, by, () => on.scene.calls.settle(id, holder, move)));
    assert.equal(row.state, "completed");
    assert.deepEqual(await history(id), ["submitted", "assigned", "completed"]);
  });

  test(`a cancel of whose commit the ${lost} counts, once, and reaches the children`, {
    skip,
  }, async () => {
    const { id } = await heldTask();
    const [child] = answered(await on.scene.submit([{ parent: id }]));
    const { row } = answered(await cutDuring(how, "commit", () => on.scene.calls.cancel(id)));
    assert.equal(row.state, "cancelled");
    assert.deepEqual(await history(id), ["submitted", "assigned", "cancelled"]);
    assert.deepEqual(await history(child?.card.id as string), ["submitted", "cancelled"]);
  });
}

test("after all cuts the database says what every caller was told", { skip }, async () => {
  assert.deepEqual((await verify(on.store)).faults, []);
  assert.deepEqual(await ledgerFaults(on.told, on.store), []);
});
