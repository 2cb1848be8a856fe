import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../core/access.ts";
import type { ProfileName } from "../core/liveness.ts";
import type { WorkerRecord } from "../ports/records.ts";
import { type World, world } from "../testing/world.ts";
import { type FleetLifeParts, fleetLife } from "./desks/fleet/fleet-life.ts";

const day = 24 * 60 * 60_000;
const admin: Principal = { user: "root", token: null, role: "admin", rooms: null, jobs: null };

/** As a server of a newer release wrote it, offline for so long. */
async function ofNewerRelease(w: World, offlineMs: number): Promise<string> {
  const id = await w.worker([await w.job()], { profile: "fleet" });
  await w.store.amend({ workers: [id] }, (view) => {
    const worker = view.workers.get(id) as WorkerRecord;
    const session = { ...worker.session, lostAt: w.clock.now() - offlineMs };
    return { answer: null, workers: [{ ...worker, profile: "newdoor" as ProfileName, session }] };
  });
  await w.engine.catalog.refresh();
  return id;
}

test("a worker of a profile that only a newer release knows stops no sweep, and goes after a day", async () => {
  const w = await world();
  const id = await ofNewerRelease(w, day - 1);
  await w.engine.sweeper.tick();
  assert.notEqual(w.engine.catalog.worker(id), undefined);
  w.clock.advance(1);
  assert.equal((await w.engine.sweeper.tick()).removed, 1);
  assert.equal(w.engine.catalog.worker(id), undefined);
  await w.stop();
});

test("a worker of a profile that only a newer release knows may come back", async () => {
  const w = await world();
  const id = await ofNewerRelease(w, 1_000);
  assert.equal((await w.engine.workers.revive(id)).session.lostAt, null);
  await w.stop();
});

test("a worker of a profile that only a newer release knows is cleaned up after a day", async () => {
  const w = await world();
  const [old, young] = [await ofNewerRelease(w, day), await ofNewerRelease(w, day - 1)];
  const { cleanup } = fleetLife(w.around, { operations: w.engine } as unknown as FleetLifeParts);
  assert.deepEqual(await cleanup(admin, "expired", null), [old]);
  assert.notEqual(w.engine.catalog.worker(young), undefined);
  await w.stop();
});
