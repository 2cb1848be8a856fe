// Tasks are there; workers in processes of their own do them. The first ones warm everything up and do not count.

import type { Actor } from "../../live/actor.ts";
import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { startCrew } from "../crew.ts";
import { type SystemName, systemOf } from "../system.ts";
import type { Ended, WorkerWords } from "../work-words.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const [tasks, warmUp, workers] = [parameter(input, "tasks"), parameter(input, "warmUp"), parameter(input, "workers")];
  const system = word(input, "system") as SystemName;
  const producer = await (await systemOf(system)).produce(input);
  await producer.submitMany(tasks + warmUp);
  const words: WorkerWords = {
    ...{ system, where: producer.where, tells: "ended" },
    concurrency: parameter(input, "concurrency"),
    prefetch: parameter(input, "prefetch"),
  };
  const crew = await startCrew(words, workers, input.profiles);
  let ms = 0;
  let counted = 0;
  await input.timed("drain", async () => {
    ({ ms, counted } = await watchDrain(crew, warmUp, tasks + warmUp));
  });
  await Promise.all(crew.map((worker) => worker.stop()));
  await producer.stop();
  const held = parameter(input, "held") * workers;
  return { figures: { tasks: (1_000 * counted) / ms, held }, notes: redisNote(input) };
}

interface Watched {
  readonly ms: number;
  readonly counted: number;
}

/** From the first word after the warm-up, in which every worker has done something, to the last task. */
export async function watchDrain(crew: readonly Actor[], warmUp: number, all: number): Promise<Watched> {
  const done = crew.map(() => 0);
  let begun: { readonly at: number; readonly sum: number } | null = null;
  let lastAt = 0;
  let sum = 0;

  async function listen(worker: Actor, nth: number): Promise<void> {
    while (sum < all) {
      const { tasks, at } = await worker.next<Ended>("ended");
      sum += tasks - (done[nth] as number);
      done[nth] = tasks;
      lastAt = Math.max(lastAt, at);
      if (begun === null && sum >= warmUp && done.every((tasks) => tasks > 0)) begun = { at, sum };
    }
  }

  // Those that have nothing more to say are not waited for.
  await Promise.race(crew.map(listen));
  const { at, sum: before } = begun ?? { at: 0, sum: 0 };
  if (at === 0 || lastAt <= at) throw new Error("It was over before it could be measured");
  // Where more was there than had to be done, the last word may tell of more.
  return { ms: lastAt - at, counted: sum - before };
}

function redisNote({ place }: MeasureInput): string[] {
  return place.kind === "redis" ? [`Redis ${place.version}`] : [];
}
