// pg-boss with batches: so many jobs are fetched, run side by side and settled one by one in a single statement. With
// `burstWhenBatchFull` it fetches without a pause while there is more, and a notification ends its wait. What it settles
// has to be active, by whomever: nothing tells two attempts apart.

import { setTimeout as pause } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { payload } from "../../bench-tasks.ts";
import type { MeasureInput } from "../../measure.ts";
import { inCalls, type Producer, type Where, type Work } from "../system.ts";

const queue = "bench";
const connectionsMax = 50;

export async function produce({ place }: MeasureInput): Promise<Producer> {
  if (place.kind !== "postgres") throw new Error(`pg-boss does not run on ${place.kind}`);
  const boss = await bossAt(place.url);
  await boss.createQueue(queue, { notify: true });
  return {
    where: { url: place.url },
    submit: (n) => boss.send(queue, JSON.parse(payload(n)) as object),
    submitMany: (tasks) =>
      inCalls(tasks, (count) =>
        boss.insert(
          queue,
          Array.from({ length: count }, (_, n) => ({ data: JSON.parse(payload(n)) as object })),
        ),
      ),
    stop: () => boss.stop({ graceful: false }),
  };
}

/** Two loops take turns at the database, where there is enough for both. */
const loopsAtMost = 2;

export async function work({ url }: Where, { concurrency, handle, ended }: Work): Promise<() => Promise<unknown>> {
  const boss = await bossAt(String(url));
  if (concurrency === 1) return oneByOne(boss, { handle, ended });
  const loops = Math.min(loopsAtMost, concurrency);
  const batchSize = Math.floor(concurrency / loops);
  await boss.work(
    queue,
    { batchSize, localConcurrency: loops, burstWhenBatchFull: true, perJobResults: true, pollingIntervalSeconds: 0.5 },
    async (jobs) => {
      await Promise.all(jobs.map(({ id }) => handle(id)));
      ended(jobs.length);
      return jobs.map(({ id }) => ({ id, status: "completed" as const, output: { ok: true } }));
    },
  );
  return () => boss.stop({ graceful: false });
}

const emptyMs = 5;

/** Its worker never hurries with batches of one, so this fetches and completes by the calls that are there for it. */
function oneByOne(boss: PgBoss, { handle, ended }: Pick<Work, "handle" | "ended">): () => Promise<unknown> {
  let stopped = false;
  const loop = async (): Promise<void> => {
    while (!stopped) {
      const [job] = await boss.fetch(queue);
      if (job === undefined) {
        await pause(emptyMs);
        continue;
      }
      await handle(job.id);
      await boss.complete(queue, job.id, { ok: true });
      ended(1);
    }
  };
  const running = loop();
  return async () => {
    stopped = true;
    await running;
    await boss.stop({ graceful: false });
  };
}

async function bossAt(url: string): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, max: connectionsMax, schedule: false, useListenNotify: true });
  boss.on("error", (error) => {
    throw error;
  });
  await boss.start();
  return boss;
}
