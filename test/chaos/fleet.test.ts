import { after, test } from "node:test";
import { newSeed } from "./chance.ts";
import { fleetRun } from "./fleet/fleet.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

/** `npm run chaos:fleet` is the same with 20,000 tasks. */
test("a fleet under faults: each task has one outcome, in its order, by hands that were alive", {
  ...{ skip, timeout: 280_000 },
}, async (t) => {
  await fleetRun(t, own, { tasks: 4_000, workers: 30, seconds: 60, seed: newSeed(), everyMs: [1_000, 2_500] });
});
