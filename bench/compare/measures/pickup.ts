// Nothing to do, then one task: how long after its submit was sent does its handler start?

import { setTimeout as pause } from "node:timers/promises";
import type { Actor } from "../../live/actor.ts";
import { monotonicMs } from "../../live/monotonic.ts";
import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { percentile } from "../../statistics.ts";
import { startWorker } from "../crew.ts";
import { type SystemName, systemOf } from "../system.ts";
import type { Started, WorkerWords } from "../work-words.ts";

/** Long enough for the worker to be through with the task before, and to wait again. */
const idleMs = 20;
/** As many as it takes until most of the code on the way is compiled, in every system. */
const warmUps = 300;

export async function measure(input: MeasureInput): Promise<Measured> {
  const system = word(input, "system") as SystemName;
  const producer = await (await systemOf(system)).produce(input);
  const words: WorkerWords = { system, where: producer.where, concurrency: 10, prefetch: 0, tells: "started" };
  const worker = await startWorker(words, input.profiles);
  const figures = await pickupTimes(input, worker, (n) => producer.submit(n));
  await worker.stop();
  await producer.stop();
  return { figures };
}

/** As figures: from the sending of each submit to the first line of its handler. */
export async function pickupTimes(
  input: MeasureInput,
  worker: Actor,
  submit: (n: number) => Promise<unknown>,
): Promise<{ readonly p50Ms: number; readonly p99Ms: number; readonly mostMs: number }> {
  async function once(n: number): Promise<number> {
    await pause(idleMs);
    const sentAt = monotonicMs();
    const [, { at }] = await Promise.all([submit(n), worker.next<Started>("started")]);
    return at - sentAt;
  }
  for (let n = 0; n < warmUps; n += 1) await once(n);
  const times: number[] = [];
  await input.timed("pickup", async () => {
    while (times.length < parameter(input, "tasks")) times.push(await once(times.length));
  });

  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), mostMs: Math.max(...times) };
}
