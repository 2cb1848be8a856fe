// What every run of a fleet begins and ends with: its jobs; and servers that stop in good order on a database without a fault.

import assert from "node:assert/strict";
import { databaseOf } from "../../../src/server/database.ts";
import { type DatabaseLook, lookIntoDatabase } from "../../../src/server/look-into-database.ts";
import { recordedLog } from "../../../src/testing/recorded-log.ts";
import { until } from "../../../src/testing/until.ts";
import { run } from "../../leadhand-process.ts";
import type { PrivatePostgres } from "../private-postgres.ts";
import { patientCaller } from "./patient-caller.ts";
import type { FleetServers } from "./servers.ts";
import { jobs, retry, schema } from "./words.ts";

export async function defineJobs({ all, adminToken }: FleetServers, targetUrl?: string): Promise<void> {
  const ask = patientCaller(all[0]?.url ?? "", adminToken);
  const policy = { onWorkerLost: "requeue", retry };
  const define = async (name: keyof typeof jobs, words: object): Promise<void> => {
    const { status, body } = await ask("PUT", `/specs/${jobs[name]}`, { body: { schema, policy, ...words } });
    assert.equal(status, 201, JSON.stringify(body));
  };
  for (const name of ["mixed", "night", "parent"] as const) await define(name, {});
  if (targetUrl === undefined) return;
  // A target that is killed costs an attempt for each request under way.
  const often = { ...policy, retry: { ...retry, maxAttempts: 50 } };
  await define("pushed", { policy: often, push: { url: targetUrl, timeoutMs: 5_000 } });
}

export async function allEnded(own: PrivatePostgres, limitMs: number): Promise<void> {
  const open = () =>
    own.query<{ id: string; state: string; worker: string }>("select * from leadhand.open_task limit 5");
  await until("every task has ended", async () => (await open()).length === 0, limitMs).catch(async (error) => {
    throw new Error(`Stranded: ${JSON.stringify(await open())}`, { cause: error });
  });
}

/** Stops all servers. */
export async function verified(servers: FleetServers): Promise<void> {
  const ended = await Promise.all(servers.all.map((server) => server.stop()));
  assert.deepEqual(ended, [0, 0, 0], servers.all.map(({ name, log }) => `${name}: ${log()}`).join("\n"));
  const { code, out } = await run(["verify", "--json"], servers.environment);
  assert.deepEqual(JSON.parse(out).faults, []);
  assert.equal(code, 0);
}

export async function lookingInto<T>(own: PrivatePostgres, see: (look: DatabaseLook) => Promise<T>): Promise<T> {
  const database = databaseOf({ data: "", databaseUrl: own.postgres.url, databaseListenUrl: null });
  const look = await lookIntoDatabase(database, recordedLog());
  try {
    return await see(look);
  } finally {
    await look.close();
  }
}
