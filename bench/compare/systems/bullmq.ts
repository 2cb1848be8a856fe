// BullMQ, on Redis and on its PostgreSQL backend. A lock with a token of its own fences every job; completing one and
// fetching the next are one round trip. Finished jobs are kept, as they are by default.

import { createPostgresBackend, Queue, runMigrations, Worker } from "bullmq";
import { Pool } from "pg";
import { payload } from "../../bench-tasks.ts";
import type { MeasureInput } from "../../measure.ts";
import { inCalls, type Producer, type Where, type Work } from "../system.ts";

const queueName = "bench";
const connectionsMax = 50;

export async function produce({ place }: MeasureInput): Promise<Producer> {
  if (place.kind === "postgres") await migrate(place.url);
  else if (place.kind !== "redis") throw new Error(`BullMQ does not run on ${place.kind}`);
  const where: Where = place.kind === "redis" ? { port: place.port } : { url: place.url };
  const queue = queueAt(where);
  await queue.waitUntilReady();
  return {
    where,
    submit: (n) => queue.add("task", JSON.parse(payload(n))),
    submitMany: (tasks) => inCalls(tasks, (count) => queue.addBulk(jobs(count))),
    stop: () => queue.close(),
  };
}

export async function work(where: Where, { concurrency, handle, ended }: Work): Promise<() => Promise<unknown>> {
  const handler = async (job: { readonly id?: string | undefined }): Promise<object> => {
    await handle(job.id ?? "");
    return { ok: true };
  };
  const worker = workerAt(where, handler, concurrency);
  worker.on("completed", () => ended(1));
  worker.on("failed", (_job, error) => {
    throw error;
  });
  await worker.waitUntilReady();
  return () => worker.close();
}

function queueAt({ port, url }: Where) {
  if (url === undefined) return new Queue(queueName, { connection: { host: "127.0.0.1", port: Number(port) } });
  return new Queue(queueName, { connection: poolOf(url) }, createPostgresBackend);
}

type Handler = (job: { readonly id?: string | undefined }) => Promise<object>;

function workerAt({ port, url }: Where, handler: Handler, concurrency: number) {
  if (url === undefined) {
    const connection = { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null };
    return new Worker(queueName, handler, { connection, concurrency });
  }
  return new Worker(queueName, handler, { connection: poolOf(url), concurrency }, createPostgresBackend);
}

function poolOf(url: string | number): { readonly connectionString: string; readonly max: number } {
  return { connectionString: String(url), max: connectionsMax };
}

function jobs(count: number) {
  return Array.from({ length: count }, (_, n) => ({ name: "task", data: JSON.parse(payload(n)) }));
}

async function migrate(url: string): Promise<void> {
  const pool = new Pool({ connectionString: url });
  const client = await pool.connect();
  await runMigrations(client);
  client.release();
  await pool.end();
}
