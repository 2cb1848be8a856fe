// What two servers on one PostgreSQL count adds up, and each shows all of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { withPostgres } from "../fresh-database.ts";
import type { Caller } from "../rest/scene.ts";
import { claimed, pair, registerJob, submitted } from "./pair.ts";

test("what two servers count adds up, and nothing is counted twice", withPostgres, async () => {
  const { here, there } = await pair();
  const admin = here.admin;
  const other = await there.caller("bob", { role: "admin" });
  const { worker, path } = await registerJob(admin, "Rotate");
  const seen = async (who: Caller) => (await who.get("/pulse")).body.totals;
  // Submitted at both, claimed and settled at one: the other hears of it by the bus.
  for (const caller of [admin, other, other]) await submitted(caller, path);
  for (const end of [{ status: "completed" }, { status: "failed", error: "Disk 1 is full" }]) {
    const { id, lease_token } = await claimed(admin, worker, 10);
    assert.equal((await admin.patch(`/tasks/${id}`, { status: "running", lease_token })).status, 200);
    assert.equal((await admin.patch(`/tasks/${id}`, { ...end, lease_token })).status, 200);
  }
  const counts = { submitted: 3, completed: 1, failed: 1 };
  for (const who of [admin, other]) {
    await until(
      "both have written what they counted",
      async () => {
        const { submitted: all, completed, failed } = await seen(who);
        assert.ok(all <= 3 && completed <= 1 && failed <= 1, "something was counted twice");
        return all === counts.submitted && completed === counts.completed && failed === counts.failed;
      },
      15_000,
    );
  }
  const { items } = (await other.get("/failures")).body;
  assert.deepEqual([items.length, items[0].tasks], [1, 1]);
  const [job] = (await other.get("/jobs/statistics")).body.items;
  assert.deepEqual([job.job_name, job.submitted, job.success_rate], ["lab:modifiers:Rotate", 3, 0.5]);
});
