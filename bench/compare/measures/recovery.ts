// A worker with its hands full is killed, again and again, while another one is at work: how long until everything it
// held runs on the other? What the other one holds itself must not start a second time.

import type { Actor } from "../../live/actor.ts";
import { monotonicMs } from "../../live/monotonic.ts";
import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { percentile } from "../../statistics.ts";
import { startWorker } from "../crew.ts";
import { type Producer, type SystemName, systemOf } from "../system.ts";
import type { Started, WorkerOrder } from "../work-words.ts";

/** What the victim holds. */
const hands = 8;

export async function measure(input: MeasureInput): Promise<Measured> {
  const system = word(input, "system") as SystemName;
  const producer = await (await systemOf(system)).produce(input);
  const times: number[] = [];
  await input.timed("recovery", async () => {
    for (let left = parameter(input, "rounds"); left > 0; left -= 1) times.push(...(await round(system, producer)));
  });
  await producer.stop();
  return { figures: { p50Ms: percentile(times, 0.5), mostMs: Math.max(...times) } };
}

/** From the kill to the start on the other worker, for each task. */
async function round(system: SystemName, producer: Producer): Promise<number[]> {
  const words = { system, where: producer.where, prefetch: 0, tells: "held" } as const;
  const victim = await startWorker({ ...words, concurrency: hands }, null);
  for (let n = 0; n < hands; n += 1) await producer.submit(n);
  const held = await starts(victim, hands);
  const other = await startWorker({ ...words, concurrency: 2 * hands }, null);
  for (let n = 0; n < hands; n += 1) await producer.submit(n);
  const own = await starts(other, hands);
  const killedAt = monotonicMs();
  await victim.kill();
  const again = await starts(other, hands);
  const strangers = [...again.keys()].filter((task) => !held.has(task));
  if (strangers.length > 0) {
    const what = strangers.some((task) => own.has(task)) ? "started twice" : "came from nowhere";
    throw new Error(`Tasks of a live worker ${what}: ${strangers.join(", ")}`);
  }
  other.tell({ order: "let go" } satisfies WorkerOrder);
  await other.stop();
  return [...again.values()].map((at) => at - killedAt);
}

/** When each of so many tasks started. */
async function starts(worker: Actor, count: number): Promise<Map<string, number>> {
  const startedAt = new Map<string, number>();
  while (startedAt.size < count) {
    const { task, at } = await worker.next<Started>("started");
    if (startedAt.has(task)) throw new Error(`Task ${task} started twice on one worker`);
    startedAt.set(task, at);
  }
  return startedAt;
}
