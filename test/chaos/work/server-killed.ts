// A server that is killed while a thousand tasks are in the hands of its workers, and comes back. They were not idle: some
// tasks end while it is away, and their results wait.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { until } from "../../../src/testing/until.ts";
import type { RestServerOptions } from "../rest/rest-server.ts";
import { holding, starts, usual, workStage } from "./stage.ts";

const workers = 5;
const concurrency = 200;
const inFlight = workers * concurrency;
const more = 400;

export async function serverKilled(t: TestContext, options: RestServerOptions): Promise<void> {
  const stage = await workStage({ ...options, settings: usual });
  const { server } = stage;
  const programs = await Promise.all(Array.from({ length: workers }, () => stage.hire({ concurrency })));
  // The shortest end while the server is away, the longest after it is back.
  const ids = await stage.submit(inFlight + more, (index) => ({ ms: 2_500 + ((index * 7) % 4_000) }));
  // By what was begun: on a slow machine the first end, and make room for others, before the last of a thousand begins.
  await until("a thousand are in flight", () => starts(programs).size >= inFlight, 10_000);
  const before = new Set(programs.flatMap(holding));
  await server.kill();
  const killedAt = Date.now();
  await server.start();
  t.diagnostic(`away for ${Date.now() - killedAt} ms, with ${before.size} tasks in flight`);
  await stage.allEnded(40_000);

  const begun = starts(programs);
  assert.deepEqual(
    ids.filter((id) => begun.get(id) !== 1).map((id) => [id, begun.get(id)]),
    [],
  );
  for (const program of programs)
    assert.equal(program.said().filter((word) => "ready" in word).length, 1, "it goes on as the worker it was");
  const histories = await stage.settle();
  for (const { task, events } of histories.values()) {
    const types = events.map(({ type }) => type);
    assert.equal(task.row.state, "completed");
    assert.ok(!types.includes("task.lost"), `task ${task.card.id} was declared lost: ${types.join(", ")}`);
    if (before.has(task.card.id)) assert.equal(task.row.attempt, 1, `${task.card.id}: ${types.join(", ")}`);
  }
}
