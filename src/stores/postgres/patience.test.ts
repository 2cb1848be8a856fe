import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedLog } from "../../testing/recorded-log.ts";
import { patiently } from "./patience.ts";

const conflict = Object.assign(new Error("deadlock detected"), { code: "40P01" });

async function tried(attempts: number, conflicts: number): Promise<string> {
  let count = 0;
  const patience = { log: recordedLog(), waitMs: 1_000, conflicts: { attempts, baseMs: 0 } };
  const attempt = async (): Promise<string> => {
    count += 1;
    if (count <= conflicts) throw conflict;
    return `answered at try ${count}`;
  };
  return patiently(patience, attempt).catch(() => `given up after ${count}`);
}

test("what PostgreSQL asks to run again is tried as often as the setting says", async () => {
  assert.equal(await tried(10, 9), "answered at try 10");
  assert.equal(await tried(10, 10), "given up after 10");
  assert.equal(await tried(1, 1), "given up after 1");
});
