// Workers as the documents' clients are: each claims one task, says that it runs, says that it is done. Before them as
// many callers submit one task at a time and are told its place in the line. As many tasks go as came.

import { concurrently } from "../../concurrently.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, benchServer, expect, rateOf, submitBody, submitPath } from "../bench-server.ts";
import type { Connection } from "../connection.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const [workers, tasks] = [parameter(input, "workers"), parameter(input, "tasks")];
  const server = await benchServer(input);
  const connections = await server.connections(workers);
  const ids = await Promise.all(connections.map((connection) => server.addWorker(connection)));
  const warmUp = Math.ceil(tasks / 5);
  await submit(server, connections, warmUp);
  await work(server, connections, ids, warmUp);

  const submitting = await server.timed("submits", () => submit(server, connections, tasks));
  const working = await server.timed("cycles", () => work(server, connections, ids, tasks));
  for (const id of ids)
    expect(await (connections[0] as Connection).ask(server.request("DELETE", `/v1/workers/${id}`)), 204);
  for (const connection of connections) connection.close();
  await server.stop();
  return { figures: { ...rateOf("submits", submitting, tasks), ...rateOf("cycles", working, tasks) } };
}

async function submit(server: BenchServer, connections: readonly Connection[], tasks: number): Promise<void> {
  const request = server.request("POST", submitPath, submitBody);
  let sent = 0;
  const submitOne = async (connection: Connection): Promise<boolean> => {
    if (sent >= tasks) return false;
    sent += 1;
    const body = expect(await connection.ask(request), 202);
    if (!body.includes('"queue_position":') || body.includes('"queue_position":null')) {
      throw new Error(`A submit was answered without its place in the line: ${body}`);
    }
    return true;
  };
  await Promise.all(connections.map((connection) => concurrently(1, () => submitOne(connection))));
}

async function work(
  server: BenchServer,
  connections: readonly Connection[],
  workers: readonly string[],
  tasks: number,
): Promise<void> {
  let begun = 0;
  const loops = connections.map((connection, nth) => {
    const claim = server.request("POST", "/v1/tasks/claim", { worker_id: workers[nth] });
    return concurrently(1, async () => {
      if (begun >= tasks) return false;
      begun += 1;
      await cycle(server, connection, claim);
      return true;
    });
  });
  await Promise.all(loops);
}

async function cycle(server: BenchServer, connection: Connection, claim: string): Promise<void> {
  const claimed = expect(await connection.ask(claim), 200);
  const { task } = JSON.parse(claimed) as { task: { id: string; lease_token: string } | null };
  if (task === null) throw new Error("There was nothing to claim");
  const { id, lease_token } = task;
  const path = `/v1/tasks/${id}`;
  expect(await connection.ask(server.request("PATCH", path, { status: "running", lease_token })), 200);
  const done = { status: "completed", result: { ok: true }, lease_token };
  expect(await connection.ask(server.request("PATCH", path, done)), 200);
}
