import assert from "node:assert/strict";
import { test } from "node:test";
import { countDesk } from "./count-desk.ts";

const who = { user: "ada" } as never;
const mark = { index: 0, failed: false, error: null };

/** What the engine is asked for, in order. */
function aDesk() {
  const asked: string[] = [];
  const desk = countDesk({
    operations: {
      async count(id, marks) {
        asked.push(`count ${id} ${marks.length}`);
        return { state: "running", children: null };
      },
      heardOf: async (id) => void asked.push(`heard of ${id}`),
    },
    coworkers: {
      card: async (_who: unknown, id: string) => void asked.push(`may work on ${id}`),
    } as never,
  });
  return { asked, desk };
}

test("a count of nothing is a sign of life, from whoever may count", async () => {
  const { asked, desk } = aDesk();
  await desk.count(who, "task", []);
  assert.deepEqual(asked, ["may work on task", "heard of task", "count task 0"]);
});

test("marks are counted, which is a sign of life by itself", async () => {
  const { asked, desk } = aDesk();
  await desk.count(who, "task", [mark]);
  assert.deepEqual(asked, ["may work on task", "count task 1"]);
});
