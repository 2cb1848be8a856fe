// Callers that wait for the end of a task, all of them for the same one. Then it ends: how long after its end was
// answered does the first of them know, and how long does it take until all of them do?

import { concurrently } from "../../concurrently.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, benchServer, expect, submitBody, submitPath } from "../bench-server.ts";
import type { Connection } from "../connection.ts";
import { gather, waitHeader } from "../crowd.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const polls = parameter(input, "polls");
  const server = await benchServer(input);
  const caller = await server.connect();
  await server.addWorker(caller);
  const { id } = JSON.parse(expect(await caller.ask(server.request("POST", submitPath, submitBody)), 202)) as {
    id: string;
  };
  const wait = server.request("GET", `/v1/tasks/${id}`, "", waitHeader);
  await warmUp(server, id, polls);
  const answers: Promise<number>[] = [];

  async function poll(connection: Connection): Promise<number> {
    const body = expect(await connection.ask(wait), 200);
    const at = performance.now();
    if (!body.includes('"status":"cancelled"')) throw new Error(`A wait ended before its task: ${body}`);
    return at;
  }
  const { connections, grownMb } = await gather(server, polls, (connection) => void answers.push(poll(connection)));

  const sentAt = performance.now();
  expect(await caller.ask(server.request("POST", `/v1/tasks/${id}/cancel`)), 200);
  const endedAt = performance.now();
  const times = (await Promise.all(answers)).sort((a, b) => a - b);
  const [first, last] = [times[0] as number, times.at(-1) as number];
  for (const connection of connections) connection.close();
  await server.stop();
  const firstMs = Math.max(0, first - endedAt);
  return { figures: { grownMb, firstMs, firstSentMs: first - sentAt, lastSentMs: last - sentAt } };
}

/** A server in use: what looks that do not wait make it grow by is not the price of waiting. */
const lookers = 64;

async function warmUp(server: BenchServer, id: string, polls: number): Promise<void> {
  const look = server.request("GET", `/v1/tasks/${id}`);
  const connections = await server.connections(lookers);
  let left = 5 * polls;
  const lookAgain = async (connection: Connection): Promise<boolean> => {
    expect(await connection.ask(look), 200);
    left -= 1;
    return left > 0;
  };
  await Promise.all(connections.map((connection) => concurrently(1, () => lookAgain(connection))));
  for (const connection of connections) connection.close();
}
