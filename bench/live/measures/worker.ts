// One Worker drains what is there.

import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { benchServer, rateOf } from "../../rest/bench-server.ts";
import { submitBulk, tasksPerCall } from "../../rest/measures/bulk.ts";
import { startActor } from "../actor.ts";
import type { Reached, Ready, WorkWords } from "../work-words.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const server = await benchServer(input);
  const connection = await server.connect();
  // Makes the job, and takes no tasks.
  await server.addWorker(connection);
  connection.close();
  const tasks = tasksPerCall * Math.ceil(parameter(input, "tasks") / tasksPerCall);
  const warmUp = tasksPerCall;
  await submitBulk(server, warmUp + tasks);

  const words: WorkWords = {
    url: `http://127.0.0.1:${server.port}`,
    token: server.token,
    concurrency: parameter(input, "concurrency"),
    marks: [warmUp, warmUp + tasks],
  };
  const worker = startActor("live/actors/worker", words, input.profiles);
  await worker.next<Ready>("ready");
  const { at: startedAt } = await worker.next<Reached>("reached");
  const cpuBefore = worker.cpuMs();
  let endedAt = 0;
  const timing = await server.timed("worker", async () => {
    endedAt = (await worker.next<Reached>("reached")).at;
  });
  const cpuMs = worker.cpuMs() - cpuBefore;
  await worker.stop();
  await server.stop();
  return { figures: rateOf("tasks", { ...timing, cpuMs, ms: endedAt - startedAt }, tasks) };
}
