// Single submits from as many connections as one server may well have, by a client that costs next to nothing.

import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { benchServer, rateOf } from "../bench-server.ts";
import { type Load, requireWrk, submitLoad } from "../wrk.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  requireWrk();
  const [connections, seconds] = [parameter(input, "connections"), parameter(input, "seconds")];
  const server = await benchServer(input);
  const first = await server.connect();
  await server.addWorker(first);
  first.close();
  await submitLoad(server, connections, parameter(input, "warmUpSeconds"));
  let load: Load | undefined;
  const timing = await server.timed("wrk", async () => {
    load = await submitLoad(server, connections, seconds);
  });
  await server.stop();
  if (load === undefined) throw new Error("wrk did not answer");
  if (load.failed > 0) throw new Error(`${load.failed} of ${load.requests} submits failed`);
  const figures = rateOf("submits", { ...timing, ms: load.us / 1_000 }, load.requests);
  return { figures: { ...figures, p50Ms: load.p50Us / 1_000, p99Ms: load.p99Us / 1_000 } };
}
