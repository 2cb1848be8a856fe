import assert from "node:assert/strict";
import { test } from "node:test";
import { aCall, aTask } from "../../testing/builders.ts";
import { submitValues } from "./submit-values.ts";

test("no text of a task, whatever it holds, ends its row and begins another", () => {
  const rowsOf = (about: Parameters<typeof aTask>[0]) =>
    submitValues([aCall({ tasks: [aTask(about)] })]).tasks.split(')","(').length;
  const crafted = ',1,,,1,0,0,@global,,,x,,)","(0,01893456-0000-7000-8000-000000000001,,';
  for (const about of [{ retryOf: crafted }, { parent: crafted }, { room: crafted }, { submitter: crafted }]) {
    assert.equal(rowsOf(about), 1, Object.keys(about).join());
  }
});
