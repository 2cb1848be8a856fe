import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { killedAgainAndAgain } from "./kill-rounds.ts";

test("a server on SQLite that is killed fifty times under load keeps every word it gave", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-chaos-"));
  try {
    await killedAgainAndAgain(t, { file: join(folder, "leadhand.db") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
