// Tasks that take longer than the broker waits for an acknowledgement. Where it comes with the claim nothing happens; where
// it comes at the end, the broker ends the channel and delivers the message again, and that changes nothing either.

import assert from "node:assert/strict";
import type { Consumer } from "./consumers.ts";
import type { Stage } from "./stage.ts";
import type { Tally } from "./tally.ts";
import { queues } from "./words.ts";

const waitsMs = 3_000;
const takesMs = 6_500;
const drainMs = 90_000;

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

/** One task of each kind: what one channel holds is taken away at once, and that is one cut. */
export async function longRound({ load, of, crew, ask }: Stage, tally: Tally): Promise<void> {
  const consumers = [queues.long, queues.kept].map((queue) => of(queue)[0] as Consumer);
  const before = consumers.map(({ err }) => err().length);
  const all = await Promise.all(
    consumers.map(({ orders }) => load.burst({ tasks: 1, queue: orders.queue, ms: takesMs })),
  );
  await load.drained(all.flat(), drainMs);
  for (const { id } of all.flat()) {
    const runs = crew.said.filter((said) => said.id === id).length;
    const { body } = await ask("GET", `/tasks/${id}/events`);
    const types = body.items.map(({ type }: { type: string }) => type);
    assert.deepEqual([runs, types], [1, ["task.submitted", "task.assigned", "task.completed"]], `long task ${id}`);
  }
  // The broker's own words, which are the reason that a consumer gives.
  const [freed, kept] = consumers.map(({ err }, nth) => err().slice(before[nth]).includes("timed out"));
  if (freed) tally.missed("long task, acknowledged when claimed");
  else tally.hit("long task, acknowledged when claimed");
  if (kept) tally.hit("long task, acknowledged when over");
  else tally.missed("long task, acknowledged when over");
}
