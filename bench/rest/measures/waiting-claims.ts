// Workers that wait for work, one claim each. Then tasks come one by one: how long after a submit was answered does the
// first of the workers have its task?

import { concurrently } from "../../concurrently.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { percentile } from "../../statistics.ts";
import { type BenchServer, benchServer, expect, submitBody, submitPath } from "../bench-server.ts";
import type { Connection } from "../connection.ts";
import { gather, waitHeader } from "../crowd.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const [polls, events] = [parameter(input, "polls"), parameter(input, "events")];
  const server = await benchServer(input);
  const submitter = await server.connect();
  const workers = await addWorkers(server, polls);
  const submit = server.request("POST", submitPath, submitBody);
  let answered: (at: number) => void = () => {};

  async function poll(connection: Connection, nth: number): Promise<void> {
    const claim = server.request("POST", "/v1/tasks/claim", { worker_id: workers[nth] }, waitHeader);
    const body = expect(await connection.ask(claim), 200);
    answered(performance.now());
    if (body.startsWith('{"task":null')) throw new Error("A claim did not wait");
  }
  const { connections, grownMb } = await gather(server, polls, (connection, nth) => void poll(connection, nth));

  const [afterAnswer, afterSending]: [number[], number[]] = [[], []];
  for (let event = 0; event < events; event += 1) {
    const first = new Promise<number>((resolve) => {
      answered = resolve;
    });
    const sentAt = performance.now();
    expect(await submitter.ask(submit), 202);
    const submittedAt = performance.now();
    const claimedAt = await first;
    afterAnswer.push(Math.max(0, claimedAt - submittedAt));
    afterSending.push(claimedAt - sentAt);
  }
  for (const connection of connections) connection.close();
  await server.stop();
  return {
    figures: {
      grownMb,
      firstP50Ms: percentile(afterAnswer, 0.5),
      firstP99Ms: percentile(afterAnswer, 0.99),
      sentP50Ms: percentile(afterSending, 0.5),
    },
  };
}

async function addWorkers(server: BenchServer, count: number): Promise<string[]> {
  const connection = await server.connect();
  const workers: string[] = [];
  await concurrently(1, async () => {
    if (workers.length >= count) return false;
    workers.push(await server.addWorker(connection));
    return true;
  });
  connection.close();
  return workers;
}
