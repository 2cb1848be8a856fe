import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Entry } from "../../src/testing/ledger.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { settleAccounts } from "./accounts.ts";
import { newSeed } from "./chance.ts";
import { chaosEngine } from "./chaos-engine.ts";
import { comeAndGo, fillUp, submitUntilRefused } from "./filling.ts";
import { underLoad } from "./running.ts";
import { prepare, scene } from "./scene.ts";
import { smallDisk } from "./small-disk.ts";

const leaveBytes = 2_000_000;
const limitBytes = 4_000_000;

test("SQLite on a full disk refuses submits, answers reads, and goes on when there is room", async (t) => {
  const disk = smallDisk(24);
  if (disk === undefined) return limitedFile(t);
  t.diagnostic("on a file system of 24 MB");
  try {
    const file = join(disk.folder, "leadhand.db");
    await fillUp(t, { file }, { take: () => disk.fill(leaveBytes), giveBack: () => disk.free() });
  } finally {
    disk.remove();
  }
});

test("SQLite under load on a disk that is full for a while turns callers away, and goes on by itself", async (t) => {
  const disk = smallDisk(64);
  if (disk === undefined) return t.skip("no disk may be mounted here, and a limit on a file does not come and go");
  const room = { take: () => disk.fill(0), giveBack: () => disk.free() };
  try {
    await underLoad(t, { file: join(disk.folder, "leadhand.db") }, (running) => comeAndGo(running, room));
  } finally {
    disk.remove();
  }
});

test("a file that has reached its limit is a full disk to SQLite, until it is opened with a wider one", limitedFile);

/** Also what stands for a full disk where none may be mounted. */
async function limitedFile(t: TestContext): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-limit-"));
  const file = join(folder, "leadhand.db");
  t.diagnostic("with a limit of 4 MB on the file");
  try {
    const told: Entry[] = [];
    const narrow = await chaosEngine({ file, bytesMax: limitBytes }, { log: recordedLog() });
    try {
      await prepare(narrow.engine);
      const stage = scene({ ...narrow, seed: 1, name: "narrow", note: (entry) => told.push(entry) });
      assert.equal((await submitUntilRefused(stage)).code, "store-full");
    } finally {
      await narrow.engine.stop();
    }
    const wide = await chaosEngine({ file }, { log: recordedLog() });
    await settleAccounts(t, wide, told, newSeed()).finally(() => wide.engine.stop());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
