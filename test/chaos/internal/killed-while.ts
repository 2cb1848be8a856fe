// A server that is killed with internal tasks in every stage, and started again on what it left behind.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../src/testing/until.ts";
import { chance, newSeed } from "../chance.ts";
import { type RestServerOptions, restServer } from "../rest/rest-server.ts";
import { asker, withInternalJobs } from "./stage.ts";

const rounds = 3;
const atOnce = 30;

/** Most of what was accepted is not dispatched yet: there are two threads, and a few milliseconds. */
export async function killedBeforeDispatch(t: TestContext, options: RestServerOptions): Promise<void> {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const when = chance(seed);
  const server = await restServer({ ...options, settings: withInternalJobs });
  const ask = asker(server);
  const accepted: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const answers = Array.from({ length: atOnce }, (_, n) => ask.submit("Echo", { round, n }));
    await Promise.race(answers);
    // Not a wait for anything: the moment is drawn.
    await pause(when.between(0, 30));
    await server.kill();
    accepted.push(...(await Promise.all(answers)).filter((id) => id !== null));
    await server.start();
  }
  t.diagnostic(`${accepted.length} of ${rounds * atOnce} were accepted`);
  assert.ok(accepted.length >= rounds);
  for (const id of accepted) await ask.becomes(id, "completed", 30_000);
  await server.stop();
  const { code, out, err } = await server.command("verify");
  assert.equal(code, 0, out + err);
}

export async function killedWhileRunning(options: RestServerOptions): Promise<void> {
  const server = await restServer({ ...options, settings: withInternalJobs });
  const ask = asker(server);
  const id = (await ask.submit("Wait")) as string;
  await ask.becomes(id, "running");
  await server.kill();
  await server.start();
  const again = ["submitted", "claimed", "started", "lost", "claimed", "started"];
  await until("it runs again", async () => (await ask.history(id)).join() === again.join(), 20_000);
  const { attempt, losses } = await ask.task(id);
  assert.deepEqual([attempt, losses], [2, 1]);
  await ask.cancel(id);
  assert.deepEqual(await ask.history(id), [...again, "cancelled"]);
  await server.stop();
  assert.equal((await server.command("verify")).code, 0);
}
