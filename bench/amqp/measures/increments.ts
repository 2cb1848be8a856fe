// Many consumers count on one parent over HTTP, by what the SDK gathers of each. No broker is involved.

import { watchDrain } from "../../compare/measures/drain.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { benchServer, rateOf } from "../../rest/bench-server.ts";
import { deferred, exact } from "../coordinator.ts";
import { startCrew } from "../crew.ts";
import type { CounterWords } from "../words.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const server = await benchServer({ ...input, broker: null });
  const [marks, warmUp, processes] = [
    parameter(input, "marks"),
    parameter(input, "warmUp"),
    parameter(input, "processes"),
  ];
  const all = marks + warmUp;
  const task = await deferred(server, all);
  const each = all / processes;
  const words = Array.from(
    { length: processes },
    (_, nth): CounterWords => ({
      ...{ url: `http://127.0.0.1:${server.port}`, token: server.token, task, inHand: parameter(input, "inHand") },
      ...{ consumers: parameter(input, "consumers") / processes, from: nth * each, to: (nth + 1) * each },
    }),
  );
  const crew = await startCrew("amqp/actors/counter", words, input.profiles);
  let [ms, counted] = [0, 0];
  const timing = await server.timed("increments", async () => {
    ({ ms, counted } = await watchDrain(crew, warmUp, all));
  });
  await exact(server, task, all);
  const clientCpuMs = crew.reduce((sum, actor) => sum + actor.cpuMs(), 0);
  await Promise.all(crew.map((actor) => actor.stop()));
  await server.stop();
  const figures = rateOf("counted", { ...timing, cpuMs: clientCpuMs }, all);
  return { figures: { ...figures, counted: (1_000 * counted) / ms } };
}
