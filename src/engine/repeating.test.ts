// Calls that are made again under their key, because nobody heard the first answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { TaskRecord } from "../ports/records.ts";
import { aSlice } from "../testing/builders.ts";
import { type World, type WorldOptions, world } from "../testing/world.ts";

const key = { scope: "someone:submit", key: "k", bodyHash: "a" };

async function submittedOnce(count = 1, options: WorldOptions = {}) {
  const w = await world(options);
  const job = await w.job();
  const requests = Array.from({ length: count }, () => ({ job, room: "@global", payload: "{}" }));
  const again = (bodyHash = key.bodyHash) => w.engine.submit(requests, { key: { ...key, bodyHash } });
  const first = await again();
  return { w, job, first, again };
}

async function deleteJob(w: World, job: string): Promise<void> {
  await w.store.amend({ jobs: [job] }, (view) => {
    const found = view.jobs.get(job)?.job;
    assert.ok(found !== undefined);
    return { answer: null, jobs: [{ ...found, deleted: true, revision: found.revision + 1 }] };
  });
  await w.engine.catalog.refresh();
}

async function removeTask(w: World, { card }: TaskRecord): Promise<void> {
  await w.engine.cancel({ id: card.id, actor: null });
  assert.equal(await w.store.prune(aSlice({ tasks: [card.id] })), 1);
}

const refusedWith = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const idsOf = (tasks: readonly TaskRecord[]) => tasks.map(({ card }) => card.id);

test("a repeated call gets the first answer though its job is gone", async () => {
  const { w, job, first, again } = await submittedOnce();
  await deleteJob(w, job);
  assert.deepEqual(idsOf(await again()), idsOf(first));
  await assert.rejects(again("b"), refusedWith("idempotency-conflict"));
  await assert.rejects(w.submit(job), refusedWith("job-not-found"));
});

test("a repeated call gets the first answer though its job takes no more", async () => {
  const { w, job, first, again } = await submittedOnce(2, { settings: { pendingPerJobMax: 2 } });
  assert.deepEqual(idsOf(await again()), idsOf(first));
  await assert.rejects(w.submit(job), refusedWith("too-many-pending"));
});

test("a repeated call whose tasks were removed is told so, and submits nothing", async () => {
  const { w, first, again } = await submittedOnce(2);
  await removeTask(w, first[0] as TaskRecord);
  await assert.rejects(again(), refusedWith("task-gone"));
  await removeTask(w, first[1] as TaskRecord);
  await assert.rejects(again(), refusedWith("task-gone"));
  assert.equal((await w.store.read("taskList", { limit: 0, offset: 0 })).total, 0);
});

test("a refused call leaves its key free", async () => {
  const w = await world();
  const request = [{ job: "@global:modifiers:Rotate", room: "@global", payload: "{}" }];
  await assert.rejects(w.engine.submit(request, { key }), refusedWith("job-not-found"));
  await w.job();
  assert.equal((await w.engine.submit(request, { key })).length, 1);
});
