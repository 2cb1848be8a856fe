// Callers that wait for the end of a task, all of them for the same one. Then it ends: how long after its end was
// answered does the first of them know, and how long does it take until all of them do?

import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { benchServer, expect, submitBody, submitPath } from "../bench-server.ts";
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
  const answers: Promise<number>[] = [];

  async function poll(connection: Connection): Promise<number> {
    const body = expect(await connection.ask(wait), 200);
    const at = performance.now();
    if (!body.includes('"status":"cancelled"')) throw new Error(`A wait ended before its task: ${body}`);
    return at;
  }
  const { connections, grownMb } = await gather(server, polls, (connection) => void answers.push(poll(connection)));

  expect(await caller.ask(server.request("POST", `/v1/tasks/${id}/cancel`)), 200);
  const endedAt = performance.now();
  const times = (await Promise.all(answers)).map((at) => Math.max(0, at - endedAt));
  for (const connection of connections) connection.close();
  await server.stop();
  return { figures: { grownMb, firstMs: Math.min(...times), lastMs: Math.max(...times) } };
}
