// “StaleJobReaper(session_factory, timeout_seconds = 3600, *, stall_seconds = 1800, …, max_lease_requeues = 3)”, against whole servers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { StaleJobReaper, type StaleJobReaperOptions } from "../../src/sdk/index.ts";
import { type RestScene, restScene } from "../rest/scene.ts";

type Thresholds = Pick<StaleJobReaperOptions, "timeoutSeconds" | "stallSeconds" | "maxLeaseRequeues">;

/** Of the first pass: what ended it, or null. */
async function begun({ url, admin }: RestScene, thresholds: Thresholds): Promise<string | null> {
  const passed = Promise.withResolvers<null>();
  const failed: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (_said: string, fields?: object) => void failed.push(JSON.stringify(fields)),
  };
  const alarm = (): (() => void) => {
    passed.resolve(null);
    return () => {};
  };
  const reaper = new StaleJobReaper({ url, token: admin.token, log, alarm, ...thresholds });
  const ended = reaper.run().then(
    () => "it was stopped",
    (error: Error) => error.message,
  );
  const said = await Promise.race([passed.promise, ended]);
  await reaper.stop();
  assert.deepEqual(failed, [], "no pass failed");
  return said;
}

test("“reaper = StaleJobReaper(session_factory, timeout_seconds=21600)” is what a server does where nobody says otherwise", async () => {
  const scene = await restScene();
  assert.deepEqual((await scene.admin.post("/sweep")).body.thresholds, {
    ...{ timeout_seconds: 21_600, stall_seconds: 1_800, max_lease_requeues: 3 },
  });
  assert.equal(await begun(scene, {}), null);
  assert.equal(await begun(scene, { timeoutSeconds: 21_600 }), null);
});

test("“timeout_seconds: int = 3600, *, stall_seconds: int = 1800”: a server decides by the thresholds that it is given", async () => {
  const settings = { "reaper-timeout-seconds": "3600", "max-lease-requeues": "0" };
  const scene = await restScene(settings);
  assert.equal(await begun(scene, { timeoutSeconds: 3_600, stallSeconds: 1_800, maxLeaseRequeues: 0 }), null);
});

test("a reaper with other thresholds than its server does not start, and names the settings to change", async () => {
  const scene = await restScene();
  const said = await begun(scene, { timeoutSeconds: 3_600, stallSeconds: 1_800, maxLeaseRequeues: 0 });
  assert.equal(
    said,
    "timeoutSeconds is 3600, and the server has 21600: set LEADHAND_REAPER_TIMEOUT_SECONDS there; " +
      "maxLeaseRequeues is 0, and the server has 3: set LEADHAND_MAX_LEASE_REQUEUES there",
  );
});
