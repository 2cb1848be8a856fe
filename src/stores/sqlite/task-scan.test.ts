import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lookIntoLongTexts } from "../../testing/long-texts.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { sqliteStore } from "./sqlite-store.ts";

test("of very long payloads one look reads only some", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-test-"));
  const store = sqliteStore({ file: join(folder, "leadhand.db"), log: recordedLog() });
  t.after(async () => {
    await store.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await store.start();
  await lookIntoLongTexts(store);
});
