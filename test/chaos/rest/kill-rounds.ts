// A server that is killed again and again under load over HTTP, and started again on what it left behind.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../src/testing/until.ts";
import { chance, newSeed } from "../chance.ts";
import { settleAccounts } from "./accounts.ts";
import { caller } from "./caller.ts";
import { startLoad } from "./load.ts";
import { type RestServerOptions, restServer } from "./rest-server.ts";
import { count, type Told } from "./told.ts";

const rounds = 20;
/** No kill before so many answers: there has to be a load to kill it under. */
const answersEach = 50;
/** Every so many rounds it is killed while it starts. */
const earlyEvery = 7;

export async function killedAgainAndAgain(t: TestContext, options: RestServerOptions): Promise<void> {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const when = chance(seed);
  const told: Told[] = [];
  const faults: string[] = [];
  const server = await restServer(options);
  // A process that ends in good order leaves its program compiled, and the next start takes half as long.
  await server.stop();
  await server.start();
  const onFault = (fault: string): void => void faults.push(fault);
  const calling = caller({ ...server, onFault });
  const answers = (): number => count(told, "accepted") + count(told, "done");
  try {
    const load = await startLoad({ caller: calling, seed, name: "load", note: (each) => told.push(each), onFault });
    t.after(() => void load.stop());
    for (let round = 1; round <= rounds && faults.length === 0; round += 1) {
      const before = answers();
      await until("work goes on", () => answers() > before + answersEach || faults.length > 0, 20_000);
      // Not a wait for anything: the moment is drawn.
      await pause(when.between(30, 250));
      await server.kill();
      if (round % earlyEvery === 0) await server.startInVain(when.between(100, 900));
      await server.start();
    }
    await load.stop();
    assert.deepEqual(faults.slice(0, 10), []);
    await settleAccounts(t, server, told);
  } catch (error) {
    console.error(server.log().slice(-5_000));
    throw error;
  }
}
