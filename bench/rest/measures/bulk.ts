// Submits of a thousand tasks in a call, with two calls under way.

import { deepJob } from "../../bench-catalog.ts";
import { payload } from "../../bench-tasks.ts";
import { concurrently } from "../../concurrently.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, benchServer, expect, rateOf, room } from "../bench-server.ts";

export const tasksPerCall = 1_000;

export async function measure(input: MeasureInput): Promise<Measured> {
  const tasks = parameter(input, "tasks");
  const server = await benchServer(input);
  const first = await server.connect();
  await server.addWorker(first);
  first.close();
  await submitBulk(server, Math.ceil(tasks / 5));
  const timing = await server.timed("bulk", () => submitBulk(server, tasks));
  await server.stop();
  return { figures: rateOf("tasks", timing, tasks) };
}

/** Rounded up to whole calls. */
export async function submitBulk(
  server: BenchServer,
  tasks: number,
  task: (nth: number) => object = (nth) => ({ job: deepJob, payload: JSON.parse(payload(nth)) }),
): Promise<void> {
  const body = { tasks: Array.from({ length: tasksPerCall }, (_, nth) => task(nth)) };
  const request = server.request("POST", `/v1/rooms/${room}/tasks`, body);
  const free = await server.connections(2);
  let sent = 0;
  await concurrently(free.length, async () => {
    if (sent >= tasks) return false;
    sent += tasksPerCall;
    const connection = free.pop() ?? (await server.connect());
    expect(await connection.ask(request), 202);
    free.push(connection);
    return true;
  });
  for (const connection of free) connection.close();
}
