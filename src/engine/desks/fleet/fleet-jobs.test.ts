import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../../core/access.ts";
import { isFinal, type TaskState } from "../../../core/task-row.ts";
import type { TaskRecord } from "../../../ports/records.ts";
import type { TaskFilter } from "../../../ports/store-reads.ts";
import { aCard, aRow, taskId, workerId } from "../../../testing/builders.ts";
import { worldStart } from "../../../testing/manual-clock.ts";
import type { Catalog } from "../../catalog.ts";
import type { Surroundings } from "../../surroundings.ts";
import { fleetJobs } from "./fleet-jobs.ts";

const who = { rooms: null } as Principal;
const lane = { id: 1, job: "@global:blocks:weld" };
const catalog = { lane: () => lane, lanes: () => [lane] } as unknown as Catalog;

/** One task, which makes the next of these moves behind the back of each look. */
function moving(...states: readonly TaskState[]) {
  let [state, ...next] = states as [TaskState, ...TaskState[]];
  const store = {
    async read(_kind: "taskList", query: TaskFilter & { readonly offset: number }) {
      const items = query.state === undefined || query.state === state ? [recordIn(state)] : [];
      [state = state, ...next] = next;
      return { items, total: items.length, totalExact: true };
    },
  } as unknown as Surroundings["store"];
  return fleetJobs({ store }, catalog);
}

function recordIn(state: TaskState): TaskRecord {
  const error = { code: "WORKER_OFFLINE", message: "gone", details: null };
  const outcome = isFinal(state)
    ? { state, result: null, error: state === "failed" ? error : null, finishedAt: worldStart }
    : null;
  return { card: aCard(), row: aRow({ state }), payload: "{}", outcome } as TaskRecord;
}

async function listed(list: Promise<readonly { readonly id: string }[]>): Promise<readonly string[]> {
  return (await list).map(({ id }) => id);
}

test("a job is in every list that it does not leave, wherever it moves while the list is read", async () => {
  const worker = workerId(1);
  for (const next of ["failed", "pending"] as const) {
    assert.deepEqual(await listed(moving("claimed", next).list(who, { worker })), [taskId(1)], next);
  }
  for (const status of [undefined, "polled"]) {
    const given = moving("claimed", "running").list(who, { worker, status });
    assert.deepEqual(await listed(given), [taskId(1)], `${status}`);
  }
});

test("an active job that is given back while they are read is among them", async () => {
  assert.deepEqual(await listed(moving("pending", "claimed", "running").active(who)), [taskId(1)]);
  assert.deepEqual(await listed(moving("claimed", "pending").active(who)), [taskId(1)]);
});
