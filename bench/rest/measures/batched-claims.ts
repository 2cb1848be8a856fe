// Claims of a hundred tasks in a call, by workers that would wait for them.

import { concurrently } from "../../concurrently.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, benchServer, expect, rateOf } from "../bench-server.ts";
import type { Connection } from "../connection.ts";
import { submitBulk, tasksPerCall } from "./bulk.ts";

const tasksPerClaim = 100;

export async function measure(input: MeasureInput): Promise<Measured> {
  const server = await benchServer(input);
  const connections = await server.connections(parameter(input, "workers"));
  const workers = await Promise.all(connections.map((connection) => server.addWorker(connection)));
  const tasks = tasksPerCall * Math.ceil(parameter(input, "tasks") / tasksPerCall);
  await submitBulk(server, tasksPerCall);
  await claimAll(server, connections, workers, tasksPerCall);
  await submitBulk(server, tasks);
  const timing = await server.timed("claims", () => claimAll(server, connections, workers, tasks));
  for (const connection of connections) connection.close();
  await server.stop();
  return { figures: rateOf("tasks", timing, tasks) };
}

async function claimAll(
  server: BenchServer,
  connections: readonly Connection[],
  workers: readonly string[],
  tasks: number,
): Promise<void> {
  let asked = 0;
  let claimed = 0;
  const loops = connections.map((connection, nth) => {
    const request = server.request(
      "POST",
      "/v1/tasks/claim",
      { worker_id: workers[nth], limit: tasksPerClaim },
      "Prefer: wait=5\r\n",
    );
    return concurrently(1, async () => {
      if (asked >= tasks) return false;
      asked += tasksPerClaim;
      // The first task is told twice, alone and in the list; counted by what no payload here contains.
      const told = expect(await connection.ask(request), 200).split('"lease_token":').length - 1;
      claimed += Math.max(0, told - 1);
      return true;
    });
  });
  await Promise.all(loops);
  if (claimed !== tasks) throw new Error(`${claimed} of ${tasks} tasks were claimed`);
}
