import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../bench/place.ts";
import { benchSurroundings } from "../../bench/surroundings.ts";
import { fillBoard } from "../../bench/ui/board/fill-board.ts";
import type { TaskState } from "../../src/core/task-row.ts";
import { verifyDatabase } from "../../src/server/verify-database.ts";

const shares: readonly (readonly [TaskState, number, number])[] = [
  ["completed", 91, 93],
  ["failed", 4, 6],
  ["cancelled", 0.5, 1.5],
  ["pending", 1, 2.2],
  ["claimed", 0.05, 0.4],
  ["running", 0.15, 0.7],
];

test("the board that the dashboard is measured with has sound histories and the shares that its report states", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-board-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "leadhand.db");
  const around = benchSurroundings();
  const store = await openStore({ kind: "sqlite", file, folder }, around);
  await store.start();
  const facts = await fillBoard(store, around, { tasks: 10_000, workers: 100 });
  const tasks = facts["tasks"] as number;
  for (const [state, least, most] of shares) {
    const { total } = await store.read("taskList", { state, limit: 1, offset: 0 });
    const percent = (100 * total) / tasks;
    assert.ok(percent >= least && percent <= most, `${percent} % are ${state}`);
  }
  await store.stop();

  const { log } = around;
  const verified = await verifyDatabase({ kind: "sqlite", file }, { log, faultsMax: 3, onPage: () => {} });
  assert.deepEqual(verified.faults, []);
  assert.equal(verified.tasks, tasks);
});
