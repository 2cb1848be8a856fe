import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { recordedLog } from "../../testing/recorded-log.ts";
import { migrate } from "./migrate.ts";
import { auditDeletions } from "./prune.ts";

test("what is old in the audit and among the commands is found without reading the rest", () => {
  using db = new DatabaseSync(":memory:");
  migrate(db, ":memory:", recordedLog());
  for (const sql of auditDeletions) {
    const plan = db.prepare(`explain query plan ${sql}`).all("", 0, 1) as { readonly detail: string }[];
    const steps = plan.map(({ detail }) => detail);
    assert.ok(steps.some((step) => step.includes("(id<?)")));
    assert.deepEqual(
      steps.filter((step) => step.startsWith("SCAN")),
      [],
    );
  }
});
