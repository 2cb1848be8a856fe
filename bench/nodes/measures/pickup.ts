// Nothing to do, then one task, submitted at one server: how long after that does its handler start at the other?

import { startWorker } from "../../compare/crew.ts";
import { pickupTimes } from "../../compare/measures/pickup.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, expect, submitBody, submitPath } from "../../rest/bench-server.ts";
import { startServers } from "../servers.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const servers = await startServers(input, parameter(input, "servers"));
  const first = servers.all[0] as BenchServer;
  const connection = await first.connect();
  const submit = first.request("POST", submitPath, submitBody);
  const where = servers.where(servers.all.length - 1);
  const words = { system: "leadhand", where, concurrency: 10, prefetch: 0, tells: "started" } as const;
  const worker = await startWorker(words, input.profiles);
  const figures = await pickupTimes(input, worker, async () => expect(await connection.ask(submit), 202));
  await worker.stop();
  connection.close();
  await servers.stop();
  return { figures };
}
