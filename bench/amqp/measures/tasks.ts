// Tasks whose queue is one of the broker's: submitted in bulk, told to the queue, claimed by their ids, run and settled, from
// the first submit to the last end. Each has its row and its history. The first ones warm everything up and do not count.

import type { Ended } from "../../compare/work-words.ts";
import type { Actor } from "../../live/actor.ts";
import { monotonicMs } from "../../live/monotonic.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, benchServer, expect, room } from "../../rest/bench-server.ts";
import { submitBulk } from "../../rest/measures/bulk.ts";
import { emptyBroker } from "../broker.ts";
import { costOf, timedCost } from "../cost.ts";
import { startCrew } from "../crew.ts";
import type { ConsumerWords } from "../words.ts";

const queue = "protea.jobs";
const job = `${room}:operations:store`;

export async function measure(input: MeasureInput): Promise<Measured> {
  const broker = await emptyBroker(input);
  const server = await benchServer(input);
  const [tasks, warmUp] = [parameter(input, "tasks"), parameter(input, "warmUp")];
  const words: ConsumerWords = {
    ...{ url: `http://127.0.0.1:${server.port}`, token: server.token, amqpUrl: broker.url, queue, kind: "job" },
    consumers: 1,
    concurrency: parameter(input, "concurrency"),
    prefetch: parameter(input, "prefetch"),
  };
  const crew = await startCrew(
    "amqp/actors/consumer",
    Array(parameter(input, "processes")).fill(words),
    input.profiles,
  );
  const untilDone = watching(crew);
  await submit(server, warmUp);
  await untilDone(warmUp);
  const begun = monotonicMs();
  let lastAt = begun;
  const costly = await timedCost(input, "tasks", { server, crew, broker }, async () => {
    await submit(server, tasks);
    lastAt = await untilDone(warmUp + tasks);
  });
  await Promise.all(crew.map((actor) => actor.stop()));
  await checkHistory(server);
  await server.stop();
  return { figures: { tasks: (1_000 * tasks) / (lastAt - begun), ...costOf("tasks", costly, tasks) } };
}

function submit(server: BenchServer, tasks: number): Promise<void> {
  return submitBulk(server, tasks, (n) => ({ job, queue, payload: { n } }));
}

/** Resolves with when the last of so many ended. */
function watching(crew: readonly Actor[]): (all: number) => Promise<number> {
  const done = crew.map(() => 0);
  const next = crew.map((actor) => actor.next<Ended>("ended"));
  let lastAt = 0;
  return async (all) => {
    while (done.reduce((sum, tasks) => sum + tasks, 0) < all) {
      const [nth, { tasks, at }] = await Promise.race(next.map(async (said, nth) => [nth, await said] as const));
      done[nth] = tasks;
      lastAt = Math.max(lastAt, at);
      next[nth] = (crew[nth] as Actor).next<Ended>("ended");
      // Whoever ends has nothing more to say.
      next[nth]?.catch(() => {});
    }
    return lastAt;
  };
}

/** A run that kept no history would be no run. */
async function checkHistory(server: BenchServer): Promise<void> {
  const connection = await server.connect();
  const ask = async (path: string) =>
    JSON.parse(expect(await connection.ask(server.request("GET", `/v1${path}`)), 200)) as {
      readonly items: readonly { readonly id: string; readonly type: string }[];
    };
  const { items: found } = await ask(`/rooms/${room}/tasks?limit=1`);
  const { items: events } = await ask(`/tasks/${found[0]?.id}/events`);
  const types = events.map(({ type }) => type);
  connection.close();
  if (!types.includes("task.completed")) throw new Error(`The history of a task is ${types.join(", ")}`);
}
