// Our own side of the comparison: submits over HTTP, work by the SDK.

import { Worker } from "../../src/sdk/index.ts";
import { deepJob } from "../bench-catalog.ts";
import type { MeasureInput } from "../measure.ts";
import { benchServer, expect, submitBody, submitPath } from "../rest/bench-server.ts";
import { submitBulk } from "../rest/measures/bulk.ts";
import type { Producer, Where, Work } from "./system.ts";

export interface LeadhandProducer extends Producer {
  /** Of the server, since its start. */
  cpuMs(): number;
  residentMb(): number;
}

export async function produceLeadhand(input: MeasureInput): Promise<LeadhandProducer> {
  const server = await benchServer(input);
  const connection = await server.connect();
  // Makes the job, and takes no tasks.
  await server.addWorker(connection);
  const submit = server.request("POST", submitPath, submitBody);
  return {
    where: { url: `http://127.0.0.1:${server.port}`, token: server.token },
    cpuMs: server.cpuMs,
    residentMb: server.residentMb,
    submit: async () => expect(await connection.ask(submit), 202),
    submitMany: (tasks) => submitBulk(server, tasks),
    async stop() {
      connection.close();
      await server.stop();
    },
  };
}

export async function sdkWork(
  { url, token }: Where,
  { concurrency, prefetch, handle, ended }: Work,
  link: "work" | "rest",
): Promise<() => Promise<unknown>> {
  const options = {
    ...{ url: String(url), token: String(token), link, concurrency, log: null, signals: false },
    ...(prefetch > 0 && { prefetch }),
  };
  const worker = new Worker(options);
  worker.job(deepJob, {}, async (task) => {
    await handle(task.id);
    return { ok: true };
  });
  const ready = new Promise<void>((resolve) => worker.on("ready", () => resolve()));
  let stopping = false;
  worker.on("task", ({ id, ending, error }) => {
    // What is in hand when it has to stop goes back.
    if (stopping && ending === "released") return;
    if (ending !== "completed") throw new Error(`Task ${id} ended ${ending}: ${error}`);
    ended(1);
  });
  const running = worker.run();
  await Promise.race([ready, running]);
  return () => {
    stopping = true;
    return worker.stop({ drainMs: 5_000 });
  };
}
