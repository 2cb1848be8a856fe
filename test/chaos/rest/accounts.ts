// The end of every test here: healthy workers finish what is open, and then the database is compared with everything
// that anyone was told.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { openStates } from "../../../src/core/task-row.ts";
import { lookIntoDatabase } from "../../../src/server/look-into-database.ts";
import { recordedLog } from "../../../src/testing/recorded-log.ts";
import { until } from "../../../src/testing/until.ts";
import { caller } from "./caller.ts";
import type { RestServer } from "./rest-server.ts";
import { hire, type Stage, stage } from "./stage.ts";
import { count, type Told, toldFaults } from "./told.ts";
import { claim, patch } from "./working.ts";

const drainMs = 20_000;
const workers = 4;
const batch = 50;
const shownMax = 10;

/** The server runs, and is stopped on the way. Adds to `told` what is said meanwhile. */
export async function settleAccounts(t: TestContext, server: RestServer, told: Told[]): Promise<void> {
  const faults: string[] = [];
  const note = (each: Told): void => void told.push(each);
  const calling = caller({ ...server, onFault: (fault) => faults.push(fault) });
  await drain(stage({ caller: calling, seed: 1, name: "last", note }));
  assert.deepEqual(faults.slice(0, shownMax), []);
  assert.equal(await server.stop(), 0);
  const verified = await server.command("verify", "--json");
  const { tasks, events, faults: found } = JSON.parse(verified.out);
  assert.deepEqual(found, []);
  assert.equal(verified.code, 0);
  t.diagnostic(
    `${count(told, "accepted")} accepts, ${count(told, "done")} moves told; ${tasks} tasks, ${events} events`,
  );
  const look = await lookIntoDatabase(server.database, recordedLog());
  try {
    assert.deepEqual((await toldFaults(told, look)).slice(0, shownMax), []);
  } finally {
    await look.close();
  }
}

async function drain(here: Stage): Promise<void> {
  const working = Array.from({ length: workers }, () => work(here));
  try {
    await until("every task has ended", async () => (await open(here)).length === 0, drainMs).catch(async (error) => {
      throw new Error(`Stranded: ${JSON.stringify(await open(here))}`, { cause: error });
    });
  } finally {
    here.end();
    await Promise.all(working);
  }
}

async function work(here: Stage): Promise<void> {
  let id: string | null = null;
  while (!here.signal.aborted) {
    id ??= await hire(here);
    if (id === null) continue;
    await here.caller.ask("PATCH", `/workers/${id}`);
    const worker = id;
    const tasks = await claim(here, worker, { limit: batch, wait: true });
    if (tasks === "gone") {
      // A machine too busy to beat in time: a worker that hears this registers again.
      id = null;
      continue;
    }
    await Promise.all(
      tasks.map(async (task) => {
        const proof = { headers: {}, lease_token: task.lease_token };
        if (await patch(here, task, worker, "running", proof)) await patch(here, task, worker, "completed", proof);
      }),
    );
  }
}

/** Some of those that are, or what is said instead. */
async function open({ caller }: Stage): Promise<unknown[]> {
  const pages = await Promise.all(openStates.map((state) => caller.ask("GET", `/tasks?status=${state}&limit=3`)));
  return pages.flatMap((page) => page?.body.items ?? [page]);
}
