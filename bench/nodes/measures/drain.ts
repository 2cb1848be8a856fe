// Tasks are there; workers at one server, or at one each, do them. The first ones warm everything up and do not count.

import { startCrewAt } from "../../compare/crew.ts";
import { watchDrain } from "../../compare/measures/drain.ts";
import type { WorkerWords } from "../../compare/work-words.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import type { BenchServer } from "../../rest/bench-server.ts";
import { submitBulk } from "../../rest/measures/bulk.ts";
import { startServers } from "../servers.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const [tasks, warmUp, workers] = [parameter(input, "tasks"), parameter(input, "warmUp"), parameter(input, "workers")];
  const servers = await startServers(input, parameter(input, "servers"));
  await submitBulk(servers.all[0] as BenchServer, tasks + warmUp);
  const concurrency = parameter(input, "concurrency");
  const crew = await startCrewAt(
    Array.from(
      { length: workers },
      (_, nth): WorkerWords => ({
        ...{ system: "leadhand", where: servers.where(nth), tells: "ended", concurrency, prefetch: 0 },
      }),
    ),
    input.profiles,
  );
  let [ms, counted] = [0, 0];
  await input.timed("drain", async () => {
    ({ ms, counted } = await watchDrain(crew, warmUp, tasks + warmUp));
  });
  await Promise.all(crew.map((worker) => worker.stop()));
  await servers.stop();
  return { figures: { tasks: (1_000 * counted) / ms } };
}
