// What the broker holds is lost, doubled, reordered, and mixed with what nobody can read; meanwhile tasks take longer than
// the broker waits for anybody.

import assert from "node:assert/strict";
import { until } from "../../../src/testing/until.ts";
import type { BurstOptions, Expected } from "./load.ts";
import type { Stage } from "./stage.ts";
import type { Tally } from "./tally.ts";
import { queueMap, queues } from "./words.ts";

const drainMs = 60_000;
const fillMs = 20_000;
/** More than all consumers have in hand at once, at every step. */
const crowd: BurstOptions = { tasks: 60, ms: 40, coordinators: 4, parts: 40, partMs: 60 };

export async function contentRound(stage: Stage, tally: Tally): Promise<void> {
  const { load, broker } = stage;
  const bursts = [await lost(stage, tally, "purged"), await lost(stage, tally, "deleted"), await doubled(stage, tally)];
  await load.drained(bursts.flat(), drainMs);
  for (const queue of Object.keys(queueMap))
    assert.notEqual(await broker.depth(queue), null, `${queue} is there again`);
  await unreadable(stage, tally);
}

/** What waits in the queues is gone, and so may be the queues. */
async function lost(stage: Stage, tally: Tally, how: "purged" | "deleted"): Promise<readonly Expected[]> {
  const step = stage.chance.oneOf([queues.batch, queues.write]) as string;
  const spread = { tasks: 0, coordinators: 3, parts: 30 };
  return [
    ...(await lostFrom(stage, tally, { queue: step, name: `queue of operations ${how}`, burst: spread })),
    ...(await lostFrom(stage, tally, {
      queue: queues.jobs,
      name: `queue of tasks ${how}`,
      burst: { tasks: 40, ms: 20 },
    })),
  ];
}

interface Loss {
  readonly queue: string;
  readonly name:
    | "queue of tasks purged"
    | "queue of tasks deleted"
    | "queue of operations purged"
    | "queue of operations deleted";
  readonly burst: BurstOptions;
}

/** Whoever would empty the queue is held, so that there is something to lose. */
async function lostFrom(
  { broker, load, of }: Stage,
  tally: Tally,
  { queue, name, burst }: Loss,
): Promise<readonly Expected[]> {
  for (const consumer of of(queue)) consumer.freeze();
  try {
    const accepted = await load.burst(burst);
    await until(`something waits in ${queue}`, async () => ((await broker.depth(queue)) ?? 0) > 0, fillMs);
    const count = name.endsWith("purged") ? await broker.purge(queue) : await broker.delete(queue);
    if (count > 0) tally.hit(name);
    else tally.missed(name);
    return accepted;
  } finally {
    for (const consumer of of(queue)) consumer.goOn();
  }
}

async function doubled({ broker, load }: Stage, tally: Tally): Promise<readonly Expected[]> {
  const burst = load.burst(crowd);
  const seen = new Map<string, number>([queues.jobs, queues.batch, queues.write].map((queue) => [queue, 0]));
  const shuffleAll = async (): Promise<boolean> => {
    for (const [queue, count] of seen) {
      if (count < 2 && ((await broker.depth(queue)) ?? 0) > 1) seen.set(queue, await broker.shuffle(queue, 10));
    }
    return [...seen.values()].every((count) => count > 1);
  };
  const isHit = await until("messages of every queue were doubled", shuffleAll, fillMs).then(
    () => true,
    () => false,
  );
  if (isHit) tally.hit("messages doubled and reordered");
  else tally.missed("messages doubled and reordered");
  return burst;
}

/** What cannot be read in any queue, or only not in those of operations. */
const unreadableBodies = [
  "no JSON {",
  "[]",
  '{"job_id":5}',
  '{"job_id":"no uuid"}',
  '"x"',
  "",
  '{"operation":"","payload":{}}',
];

/** Nothing else is broken meanwhile: not one message may be missing among the dead letters, nor be there twice. */
async function unreadable({ broker, load, chance, dead }: Stage, tally: Tally): Promise<void> {
  const burst = load.burst({ tasks: 10, coordinators: 3 });
  const sent = Object.keys(queueMap).flatMap((queue) => {
    const body = chance.oneOf(unreadableBodies) as string;
    return [{ queue, body }];
  });
  for (const { queue, body } of sent) await broker.send(queue, [body]);
  const quiet = await burst;
  await load.drained(quiet, drainMs);
  await dead.judge(
    sent.map(({ body }) => body),
    quiet,
  );
  tally.hit("unreadable messages");
}
