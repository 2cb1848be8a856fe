// Answers that nobody hears, and questions about them that nobody answers.

import assert from "node:assert/strict";
import { describe } from "node:test";
import { aTask, aWrite, taskId } from "../../testing/builders.ts";
import { scene } from "../../testing/cut-scene.ts";
import { commitText as commit } from "../../testing/cutting-proxy.ts";
import { worldStart } from "../../testing/manual-clock.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";
const now = worldStart + 50;

describe("PostgreSQL, when nobody hears the answer", { skip }, () => {
  unknownFates();
});

function unknownFates(): void {
  scene("a question about a commit that was refused is asked again", async ({ store, stage, proxy, lane }) => {
    await stage.submit(aTask({ lane }));
    await stage.claim(lane, { assign: true }, now);
    proxy.cut("answer", commit);
    proxy.garble("pg_xact_status");
    const { answer } = await store.amend({ tasks: [taskId(1)] }, (view) => {
      const tasks = [...view.tasks.values()];
      const current = (tasks[0]?.row.progress?.current ?? 0) + 1;
      const progress = { current, total: null, message: null };
      return { answer: current, tasks: tasks.map((task) => aWrite(task, [{ type: "progress", progress }], now)) };
    });
    assert.equal(proxy.cuts, 1);
    assert.equal(answer, 1, "it was committed, so it is not made again");
    assert.equal((await stage.task(taskId(1)))?.row.progress?.current, 1);
  });
}
