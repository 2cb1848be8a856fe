import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../../core/liveness.ts";
import { beatMsMax } from "./beat-limit.ts";

test("a beat that is not answered leaves time for another, by whatever door a worker came in", () => {
  for (const { beatMs, lostMs } of Object.values(defaultProfiles)) assert.ok(beatMs + beatMsMax(beatMs) < lostMs);
  assert.equal(beatMsMax(30_000), 15_000);
  assert.equal(beatMsMax(20), 1_000);
  assert.equal(beatMsMax(3_600_000), 30_000);
});
