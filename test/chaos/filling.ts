// A disk without room: submits say so, everything else goes on as far as it can, and nothing that was said is lost.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Holder } from "../../src/core/lease.ts";
import { Problem } from "../../src/core/problem.ts";
import type { TaskRecord } from "../../src/ports/records.ts";
import type { Entry } from "../../src/testing/ledger.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { settleAccounts } from "./accounts.ts";
import { newSeed } from "./chance.ts";
import { chaosEngine, type Place } from "./chaos-engine.ts";
import type { Running } from "./running.ts";
import { plainJob, prepare, type Scene, scene, type WantedTask } from "./scene.ts";
import { completion } from "./working.ts";

/** How to take the room away and how to give it back. */
export interface Room {
  take(): void | Promise<void>;
  giveBack(): void | Promise<void>;
}

const batch = 50;
const words = { filling: "x".repeat(2_000) };
const batchesMax = 2_000;

function batchOfTasks(): WantedTask[] {
  return Array.from({ length: batch }, () => ({ words }));
}

/** Submits until the disk is full; then there must be a clear word, and life. Then there is room again. */
export async function fillUp(t: TestContext, place: Place, { take, giveBack }: Room): Promise<void> {
  const told: Entry[] = [];
  const log = recordedLog();
  const running = await chaosEngine(place, { log });
  try {
    await prepare(running.engine);
    const stage = scene({ ...running, seed: 1, name: "full", note: (entry) => told.push(entry) });
    const held = await takeOne(stage);
    await take();
    const refusal = await submitUntilRefused(stage);
    assert.equal(refusal.code, "store-full");
    assert.equal(refusal.status, 503);
    assert.equal(refusal.retry, true);

    // It goes on saying so, to every caller, and goes on answering what needs no room.
    for (let tries = 0; tries < 5; tries += 1) assert.equal(await codeOf(stage), "store-full");
    const [read] = await running.store.read("tasks", { ids: [held.id] });
    assert.equal(read?.row.worker, held.holder.worker);
    assert.equal((await running.store.read("taskList", { limit: 10, offset: 0 })).items.length, 10);
    const settled = await stage.calls.settle(held.id, held.holder, completion(stage));
    assert.ok(!(settled instanceof Problem) || settled.code === "store-full", `${settled}`);

    await giveBack();
    assert.equal(await codeOf(stage), "accepted");
    await settleAccounts(t, running, told, newSeed());
  } finally {
    await running.engine.stop();
  }
}

/** A task in the hands of a worker while the disk gets full. */
async function takeOne(stage: Scene): Promise<{ id: string; holder: Holder }> {
  const [task] = (await stage.submit(batchOfTasks())) as readonly TaskRecord[];
  const jobs = new Map([[plainJob, null]]);
  const { id: worker } = await stage.engine.workers.register({ profile: "work", owner: null, jobs });
  await stage.calls.claim({ worker, limit: 1, assign: true, waitMs: 0 });
  return { id: task?.card.id as string, holder: { worker, attempt: 1 } };
}

export async function submitUntilRefused(stage: Scene): Promise<Problem> {
  for (let count = 0; count < batchesMax; count += 1) {
    const answer = await stage.submit(batchOfTasks());
    if (answer instanceof Problem) return answer;
  }
  throw new Error("The disk does not get full");
}

async function codeOf(stage: Scene): Promise<string> {
  const answer = await stage.submit(batchOfTasks());
  return answer instanceof Problem ? answer.code : "accepted";
}

/** The disk is full for a while, again and again, under load. */
export async function comeAndGo({ goesOn, turnedAway }: Running, { take, giveBack }: Room): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    await take();
    await turnedAway("store-full");
    await giveBack();
    await goesOn();
  }
}
