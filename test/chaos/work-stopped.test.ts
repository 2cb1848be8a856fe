// Workers that are stopped for longer than their window, and go on as if nothing had been. By then others have their tasks:
// some have ended them, some are still at it. What the stopped ones say of them must not count.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import type { WorkerProgram } from "./sdk/worker-program.ts";
import { plainWorker } from "./work/plain-worker.ts";
import { brief, holding, workStage } from "./work/stage.ts";

const workers = 20;
const rounds = 10;
/**
 * All have to be at it at once before they are stopped, so a handler takes longer than the last of them needs to begin; and it
 * is over when they go on, though the last beat before the stop may be a while ago.
 */
const windowMs = 2_500;
const handlerMs = 1_300;
/** Twenty programs have to start first, on a machine that may be busy. */
const limits = { timeout: 180_000 };

const sentence = "of 200 workers that went on after their window, not one result counts, and each refusal is kept";

test(sentence, limits, async (t) => {
  const stage = await workStage({ settings: brief(windowMs) });
  const { url, token } = stage.server;
  const programs = await Promise.all(Array.from({ length: workers }, () => stage.hire()));
  const heir = await plainWorker(url, token);
  const late: string[] = [];

  /** With the attempt: an end of a later one may be its own. */
  const ended = (program: WorkerProgram, task: string) =>
    program.said().find((word) => "ended" in word && word.ended === task && word.attempt === 1);
  const end = (message: { readonly job: { readonly id: string; readonly attempt: number } }) => ({
    ...{ jobId: message.job.id, attempt: message.job.attempt, outcome: "succeeded", data: "by the heir" },
  });

  async function round(): Promise<void> {
    const tasks = await stage.submit(workers, () => ({ ms: handlerMs }));
    await until("each has a task", () => programs.every((each) => holding(each).length === 1), 10_000);
    const victims = programs.map((program) => ({ program, task: holding(program)[0] as string }));
    for (const { program } of victims) program.child.kill("SIGSTOP");
    const before = heir.assigned().length;
    heir.beat({ ready: workers });
    await until("the heir has them all", () => heir.assigned().length === before + workers, 10_000);
    const inherited = heir.assigned().slice(before);
    assert.deepEqual(new Set(inherited.map(({ job }) => job.id)), new Set(tasks));
    // Half of them are over when the others wake up, and half are still in the heir's hands.
    heir.beat({ ready: 0, results: inherited.slice(workers / 2).map(end) });
    for (const { program } of victims) program.child.kill("SIGCONT");
    for (const { program, task } of victims) {
      await until(`the late result of ${task} is answered`, () => ended(program, task) !== undefined, 20_000);
      const said = ended(program, task);
      assert.ok(said !== undefined && "ending" in said);
      assert.notEqual(said.ending, "completed");
      late.push(task);
    }
    heir.beat({ results: inherited.slice(0, workers / 2).map(end) });
    for (const { job } of inherited)
      await heir.hears("resultAck", ({ jobId, accepted }) => jobId === job.id && accepted);
  }

  for (let each = 0; each < rounds; each += 1) await round();
  heir.rest();
  await stage.allEnded(10_000);
  for (const task of late) {
    const { items } = await stage.ask(`/tasks/${task}/events`);
    const refusals = items.filter(({ type }: { type: string }) => type === "task.result_refused");
    assert.ok(refusals.length > 0, `the refusal is in the history of ${task}: ${JSON.stringify(items)}`);
    for (const { attempt } of refusals) assert.equal(attempt, 1);
  }
  const histories = await stage.settle();
  for (const { task, events } of histories.values())
    assert.equal(task.outcome?.result, '"by the heir"', JSON.stringify(events));
  t.diagnostic(`${late.length} late results`);
  assert.equal(new Set(late).size, workers * rounds);
});
