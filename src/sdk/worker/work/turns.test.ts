import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssignedJob } from "../../../protocol/work/frames.ts";
import { heldTask } from "./held-task.ts";
import { turns } from "./turns.ts";

test("tasks go on after somebody who listens to their ends has thrown", () => {
  const ended: string[] = [];
  const { waiting, running, start } = turns(
    () => 1,
    () => ({ type: "completed", result: null }),
    ({ job }) => {
      ended.push(job.id);
      if (ended.length === 1) throw new Error("a fault of the author's");
    },
  );
  for (const id of ["a", "b", "c"]) waiting.push(heldTask({ id, attempt: 1 } as AssignedJob));
  assert.throws(start, /a fault of the author's/);
  start();
  assert.deepEqual([ended, running.length], [["a", "b", "c"], 0]);
});
