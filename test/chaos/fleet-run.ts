// `npm run chaos:fleet -- --tasks 20000 --workers 30 --minutes 6 --seed 1`: the fault run in full. The same in two minutes is
// fleet.test.ts.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { parseArgs } from "node:util";
import { newSeed } from "./chance.ts";
import { fleetRun } from "./fleet/fleet.ts";
import { privatePostgres } from "./private-postgres.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "20000" },
    workers: { type: "string", default: "30" },
    minutes: { type: "string", default: "6" },
    seed: { type: "string", default: `${newSeed()}` },
  },
});

const own = await privatePostgres();
after(() => own?.postgres.stop());

test("a fleet under faults: each task has one outcome, in its order, by hands that were alive", async (t) => {
  assert.ok(own !== undefined, "PostgreSQL is needed");
  const [tasks, workers, seed] = [Number(values.tasks), Number(values.workers), Number(values.seed)];
  await fleetRun(t, own, { tasks, workers, seed, seconds: Number(values.minutes) * 60, everyMs: [1_500, 4_000] });
});
