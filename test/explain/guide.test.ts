// docs/guides/explain.md against the code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { auditActs, auditKinds } from "../../src/core/audit.ts";
import { explainCauses } from "../../src/core/explain.ts";
import { run } from "../leadhand-process.ts";
import { readDocument } from "../shell-blocks.ts";

const guide = readDocument("docs/guides/explain.md");

/** What the first column of a table names, by the head of that column. */
function namedIn(head: string): string[] {
  const [, table = ""] = new RegExp(`^\\| ${head} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, "m").exec(guide) ?? [];
  const cells = table.split("\n").map((row) => row.split(" | ")[0] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([a-z.-]+)`/g)].map(([, name]) => name as string));
}

test("the guide has each cause in the order in which they are looked for, and no other", () => {
  assert.deepEqual(namedIn("cause"), [...explainCauses]);
});

test("the guide has each act of the audit, and no other", () => {
  assert.deepEqual(namedIn("act"), Object.keys(auditActs));
});

test("`leadhand audit --help` names each kind of thing that acts are done to", async () => {
  const { out } = await run(["audit", "--help"], {});
  const [, kinds = ""] = /^ +--kind K +(.*)$/m.exec(out) ?? [];
  for (const kind of auditKinds) assert.match(kinds, new RegExp(`\\b${kind}\\b`));
});
