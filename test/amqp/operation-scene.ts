// A queue of operations, a whole server, and consumers to hire.

import assert from "node:assert/strict";
import type { Worker } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { type Hired, type HireOptions, hire } from "../sdk/scene.ts";
import { amqpUrl, brokerScene, skip } from "./scene.ts";

export const store = "@global:operations:store";

interface Told {
  readonly event: string;
  readonly level: string;
  readonly message: string | null;
  readonly fields: unknown;
}

const server = await restScene();
const broker = skip ? null : brokerScene();

/** A queue of its own for each test, on the same broker and server. */
export async function operationScene() {
  if (broker === null) throw new Error(String(skip));
  const queue = await broker.queue();
  const where = { url: server.url, token: server.admin.token };

  /** A coordinator that has dispatched so many messages and waits for them. */
  async function coordinator(total: number): Promise<string> {
    await server.admin.put("/rooms/@global/jobs", { category: "operations", name: "coordinate", schema: {} });
    const { body: worker } = await server.admin.post("/workers", {});
    const job = { category: "operations", name: "coordinate", schema: {}, worker_id: worker.id };
    await server.admin.put("/rooms/@global/jobs", job);
    const { body: task } = await server.admin.post("/rooms/@global/tasks/@global:operations:coordinate", {
      payload: {},
    });
    const { body: claimed } = await server.admin.post("/tasks/claim", { worker_id: worker.id, limit: 1, start: true });
    assert.equal(claimed.tasks[0]?.id, task.id);
    const { status } = await server.admin.post(`/tasks/${task.id}/defer`, { total, attempt: 1 });
    assert.equal(status, 200);
    return task.id;
  }

  const task = async (id: string) => (await server.admin.get(`/tasks/${id}`)).body;

  /** What its parts have said of themselves, without the times. */
  async function told(id: string): Promise<readonly Told[]> {
    const { body } = await server.admin.get(`/tasks/${id}/logs`);
    return body.items.map(({ event, level, message, fields }: Told) => ({ event, level, message, fields }));
  }

  return {
    ...{ server, broker, queue, coordinator, task, told },
    message: (parent: string | null, index: number | null, payload: object = {}, operation = "store") => ({
      ...{ operation, payload },
      ...(parent !== null && { job_id: parent }),
      ...(index !== null && { index }),
    }),
    is: (id: string, status: string) =>
      until(`the parent is ${status}`, async () => (await task(id)).status === status, 30_000),
    quiet: (name: string) => until("no message waits", async () => (await broker.depth(name)) === 0, 30_000),
    consumer: (add: (worker: Worker) => void, options: HireOptions = {}): Promise<Hired> =>
      hire(where, add, { link: "amqp", kind: "operation", queue, amqpUrl, ...options }).start(),
  };
}

export function storing(runs: unknown[]): (worker: Worker) => void {
  return (worker) => void worker.job(store, {}, ({ input }) => void runs.push(input));
}
