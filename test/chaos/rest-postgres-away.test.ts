import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { newSeed } from "./chance.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";
import { settleAccounts } from "./rest/accounts.ts";
import { type Caller, caller } from "./rest/caller.ts";
import { startLoad } from "./rest/load.ts";
import { restServer } from "./rest/rest-server.ts";
import { count, type Told } from "./rest/told.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

/** A server waits ten seconds for its database before it turns callers away. */
const turnedAwayMs = 15_000;
const resumeMs = 20_000;

test("callers over HTTP wait while PostgreSQL restarts, are told to come back while it is away, and then go on", {
  skip,
}, async (t) => {
  const { postgres } = own;
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const told: Told[] = [];
  const faults: string[] = [];
  let turnedAway = 0;
  const server = await restServer({ databaseUrl: postgres.url });
  const onFault = (fault: string): void => void faults.push(fault);
  const ada = caller({ ...server, onFault });
  const counting: Caller = {
    async ask(...words) {
      const reply = await ada.ask(...words);
      if (reply === null) onFault(`${words} got no answer`);
      if (reply?.status === 503) turnedAway += 1;
      return reply;
    },
  };
  const load = await startLoad({ caller: counting, seed, name: "load", note: (each) => told.push(each), onFault });
  t.after(() => void load.stop());
  const answers = (): number => count(told, "accepted") + count(told, "done");
  const grows = async (what: string, counted: () => number, more: number, limitMs: number): Promise<void> => {
    const before = counted();
    await until(what, () => counted() >= before + more || faults.length > 0, limitMs);
    assert.deepEqual(faults.slice(0, 10), []);
  };
  const goesOn = () => grows("work goes on", answers, 100, resumeMs);
  const ready = async () => (await fetch(`${server.url}/health/ready`)).status;

  await goesOn();
  for (const mode of ["fast", "immediate"] as const) {
    await postgres.restart(mode);
    await goesOn();
  }
  assert.equal(turnedAway, 0, "a restart costs nobody more than time");
  await postgres.down("immediate");
  await grows("callers are told to come back", () => turnedAway, 20, turnedAwayMs);
  assert.equal(await ready(), 503);
  await postgres.up();
  await goesOn();
  // The next pulse tells.
  await until("it is ready", async () => (await ready()) === 200, resumeMs);
  await load.stop();
  assert.deepEqual(faults.slice(0, 10), []);
  await settleAccounts(t, server, told);
});
