// A queue, a whole server, and consumers to hire.

import assert from "node:assert/strict";
import type { Worker } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { type Hired, type HireOptions, hire } from "../sdk/scene.ts";
import { amqpUrl, brokerScene, skip } from "./scene.ts";

export const operation = "@global:operations:rotate";

const server = await restScene();
const broker = skip ? null : brokerScene();

/** A queue of its own for each test, on the same broker and server. */
export async function consumerScene() {
  if (broker === null) throw new Error(String(skip));
  const queue = await broker.queue();

  async function submit(payload: object = {}, more: object = {}, job = operation): Promise<string> {
    const { body: known } = await server.admin.get(`/rooms/@global/jobs/${job}`);
    if (known.schema === undefined) await server.admin.put(`/specs/${job}`, { schema: {} });
    const { body, status } = await server.admin.post(`/rooms/@global/tasks/${job}`, { payload, queue, ...more });
    assert.equal(status, 202, JSON.stringify(body));
    return body.id;
  }

  const status = async (id: string): Promise<string> => (await server.admin.get(`/tasks/${id}`)).body.status;

  return {
    ...{ server, broker, queue, submit, status },
    events: async (id: string): Promise<string[]> =>
      (await server.admin.get(`/tasks/${id}/events`)).body.items.map(({ type }: { type: string }) => type),
    is: (id: string, wanted: string) => until(`${id} is ${wanted}`, async () => (await status(id)) === wanted, 10_000),
    consumer(add: (worker: Worker) => void, options: HireOptions = {}): Promise<Hired> {
      const where = { url: server.url, token: server.admin.token };
      return hire(where, add, { link: "amqp", kind: "job", queue, amqpUrl, ...options }).start();
    },
  };
}

export const rotate = (worker: Worker): void =>
  void worker.job(operation, {}, ({ input }) => ({ turned: (input as { angle: number }).angle }));
