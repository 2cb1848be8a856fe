// docs/guides/explain.md against the code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { explainCauses } from "../../src/core/explain.ts";
import { readDocument } from "../shell-blocks.ts";

const guide = readDocument("docs/guides/explain.md");

test("the guide has each cause in the order in which they are looked for, and no other", () => {
  const [, table = ""] = /^\| cause \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const causes = table.split("\n").flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([a-z-]+)`/g)]);
  assert.deepEqual(
    causes.map(([, cause]) => cause),
    [...explainCauses],
  );
});
