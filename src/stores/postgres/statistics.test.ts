import assert from "node:assert/strict";
import { describe } from "node:test";
import { hourMs, minuteMs, nothingCounted } from "../../core/statistics.ts";
import { scene } from "../../testing/cut-scene.ts";
import { commitText } from "../../testing/cutting-proxy.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { until } from "../../testing/until.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";
const begin = 500_000 * hourMs;

describe("PostgreSQL, when it is not known whether statistics were written", { skip }, () => {
  scene(
    "they are not added a second time",
    async ({ store, proxy, log }) => {
      const statistics = [{ ...nothingCounted, at: begin, room: "lab", job: "lab:x:One", submitted: 7 }];
      proxy.cut("answer", commitText);
      const adding = store.statistics.add({ statistics, failures: [] });
      await until("the answer is lost", () => proxy.cuts === 1);
      proxy.close();
      await adding;
      proxy.open();
      assert.match(log.lines.map(({ message }) => message).join(), /not known whether statistics were written/);
      const span = { since: begin, until: begin + hourMs, widthMs: hourMs, keptMs: minuteMs };
      const sums = await store.read("statistics", { ...span, rooms: null, jobs: null, byJob: false });
      assert.deepEqual(
        sums.map(({ submitted }) => submitted),
        [7],
      );
    },
    100,
  );
});
