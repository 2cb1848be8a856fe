// Tasks that take longer than the broker waits for an acknowledgement. Where it comes with the claim nothing happens; where
// it comes at the end, the broker ends the channel and delivers the message again, and that changes nothing either.

import assert from "node:assert/strict";
import type { Stage } from "./stage.ts";
import type { Tally } from "./tally.ts";
import { queues } from "./words.ts";

const waitsMs = 3_000;
const takesMs = 6_500;
const drainMs = 90_000;
const atOnce = 5;

/** For channels that are opened from now on. RabbitMQ looks once a minute unless it is told otherwise. */
export async function waitShortly({ broker, of }: Stage): Promise<void> {
  const set = (name: string, ms: number) => `application:set_env(rabbit, ${name}, ${ms})`;
  await broker.ctl("eval", `${set("consumer_timeout", waitsMs)}, ${set("channel_tick_interval", 500)}.`);
  for (const consumer of [...of(queues.long), ...of(queues.kept)]) {
    await consumer.stop();
    consumer.start();
    await consumer.ready();
  }
}

export async function longTasks(stage: Stage, tally: Tally, rounds: number): Promise<void> {
  for (let left = rounds; left > 0; left -= atOnce) {
    await longRound(stage, tally, Math.min(left, atOnce));
  }
}

async function longRound({ load, broker, crew, ask }: Stage, tally: Tally, tasks: number): Promise<void> {
  const before = await broker.logged(/timed out/);
  const [freed, kept] = await Promise.all(
    [queues.long, queues.kept].map((queue) => load.burst({ tasks, queue, ms: takesMs })),
  );
  const all = [...(freed ?? []), ...(kept ?? [])];
  await load.drained(all, drainMs);
  for (const { id } of all) {
    const runs = crew.said.filter((said) => said.id === id).length;
    const { body } = await ask("GET", `/tasks/${id}/events`);
    const types = body.items.map(({ type }: { type: string }) => type);
    assert.deepEqual([runs, types], [1, ["task.submitted", "task.assigned", "task.completed"]], `long task ${id}`);
  }
  tally.hit("long task, acknowledged when claimed", tasks);
  const cuts = (await broker.logged(/timed out/)) - before;
  if (cuts > 0) tally.hit("long task, acknowledged when over", tasks);
  else tally.missed("long task, acknowledged when over");
}
