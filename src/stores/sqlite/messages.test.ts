import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { recordedLog } from "../../testing/recorded-log.ts";
import { selectToldInFront, selectUnheeded, selectUnpublished } from "./messages.ts";
import { migrate } from "./migrate.ts";

test("what a broker is to be told of is found along the line of its lane, without sorting", () => {
  using db = new DatabaseSync(":memory:");
  migrate(db, ":memory:", recordedLog());
  for (const sql of [selectUnpublished, selectUnheeded, selectToldInFront]) {
    const plan = db.prepare(`explain query plan ${sql}`).all(1, 0, 1) as { readonly detail: string }[];
    assert.deepEqual(
      plan.map(({ detail }) => detail).filter((detail) => !/subquery|SEARCH e USING PRIMARY KEY/i.test(detail)),
      ["SEARCH open_task USING INDEX open_task_ready (lane=?)"],
    );
  }
});
