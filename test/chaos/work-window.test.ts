// Faults within the window that a worker has out of the box: five seconds.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TaskEvent } from "../../src/core/task-event.ts";
import { until } from "../../src/testing/until.ts";
import { holding, starts, usual, workStage } from "./work/stage.ts";

/** The window, and a second in which the loss has to be found and the tasks handed on. */
const elsewhereWithinMs = 6_000;

describe("a window of five seconds", { concurrency: 2 }, () => {
  test("all tasks of a worker that is killed run elsewhere within six seconds, and no other runs twice", async (t) => {
    const stage = await workStage({ settings: usual });
    const programs = await Promise.all([8, 8, 8].map((concurrency) => stage.hire({ concurrency })));
    const [victim, ...others] = programs;
    assert.ok(victim);
    // So many that all are busy until long after the loss.
    const ids = await stage.submit(450, (index) => ({ ms: 150 + ((index * 37) % 300) }));
    const handled = () => victim.said().filter((word) => "ended" in word).length;
    await until("the victim is at it", () => handled() > 20 && holding(victim).length === 8, 20_000);
    const killedAt = Date.now();
    victim.child.kill("SIGKILL");
    await victim.ended;
    const lost = new Set(holding(victim));
    const isElsewhere = (id: string): boolean =>
      others.some((each) => each.said().some((word) => "began" in word && word.began === id));
    const orEnded = async (id: string): Promise<boolean> =>
      isElsewhere(id) || (await stage.client.get(id)).status === "completed";
    for (const id of lost) {
      const left = killedAt + elsewhereWithinMs - Date.now();
      await until(`task ${id} runs elsewhere`, () => orEnded(id), left);
    }
    t.diagnostic(`${lost.size} tasks ran elsewhere within ${Date.now() - killedAt} ms`);
    await stage.allEnded(30_000);
    const begun = starts(programs);
    assert.deepEqual(
      ids.filter((id) => begun.get(id) !== 1 && !lost.has(id)),
      [],
    );
    const histories = await stage.settle();
    const dead = await victim.worker;
    for (const { task, events } of histories.values()) {
      assert.equal(task.row.state, "completed");
      // It may have had a task that it did not live to begin.
      const holders = events.filter(({ type }) => type === "task.lost").map(({ attempt }) => holderOf(events, attempt));
      assert.deepEqual(
        [...new Set(holders)].filter((holder) => holder !== dead),
        [],
        `task ${task.card.id}`,
      );
    }
  });

  test("a worker that blocks for longer than its window keeps its task, and shows as blocked", async () => {
    const stage = await workStage({ settings: usual });
    const program = await stage.hire({ concurrency: 1 });
    const worker = await program.worker;
    const [id = ""] = await stage.submit(1, () => ({ do: "block", ms: 8_000 }));
    await program.began(id);
    const isBlocked = async () => (await stage.ask(`/workers/${worker}`)).blocked_ms > 5_500;
    await until("it shows as blocked", isBlocked, 9_000);
    assert.equal((await stage.client.get(id)).status, "running");
    const { status, attempt, losses } = await stage.client.wait(id, { timeoutMs: 15_000 });
    assert.deepEqual([status, attempt, losses], ["completed", 1, 0]);
    const isFree = async () => (await stage.ask(`/workers/${worker}`)).blocked_ms === 0;
    await until("it does not show as blocked any more", isFree);
    assert.equal(program.said().filter((word) => "ready" in word).length, 1);
    await stage.settle();
  });
});

function holderOf(events: readonly TaskEvent[], attempt: number): string | null | undefined {
  return events.find((event) => event.type === "task.assigned" && event.attempt === attempt)?.worker;
}
