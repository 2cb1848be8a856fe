// A world with a message broker: queue `jobs` is told of tasks, queue `batch` of operations.

import type { OperationMessage } from "../core/messages.ts";
import type { TaskRequest } from "../engine/task-request.ts";
import type { QueueKind } from "../ports/courier.ts";
import type { TaskRecord } from "../ports/records.ts";
import { type FakeCourier, fakeCourier } from "./fake-courier.ts";
import { settled, type World, type WorldOptions, world } from "./world.ts";

export interface BrokerWorld extends World {
  readonly courier: FakeCourier;
  /** Submitted to queue `jobs`. */
  submitted(job: string, count?: number): Promise<string[]>;
  /** The tasks whose messages wait in queue `jobs`, oldest first. */
  waiting(): string[];
}

export const brokerQueues: ReadonlyMap<string, QueueKind> = new Map([
  ["jobs", "job"],
  ["batch", "operation"],
]);

export async function brokerWorld(options: WorldOptions & { courier?: FakeCourier } = {}): Promise<BrokerWorld> {
  const courier = options.courier ?? fakeCourier({ queues: [...brokerQueues.keys()] });
  await courier.start();
  const w = await world({ ...options, courier, settings: { brokerQueues, ...options.settings } });
  return {
    ...w,
    courier,
    async submitted(job, count = 1) {
      const request = { job, room: "@global", payload: "{}", queue: "jobs" };
      const tasks = await w.engine.submit(Array.from({ length: count }, () => request));
      await settled();
      return tasks.map(({ card }: TaskRecord) => card.id);
    },
    waiting: () => courier.waiting("jobs").map((body) => (JSON.parse(body) as { job_id: string }).job_id),
  };
}

/** What a coordinator may defer with. */
export function messages(count: number, queue = "batch"): OperationMessage[] {
  return Array.from({ length: count }, (_, n) => ({ queue, operation: "store", payload: `{"n":${n}.0}` }));
}

/** A task in the hands of a worker. */
export async function coordinator(w: BrokerWorld, more: Partial<TaskRequest> = {}) {
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job, more);
  await w.claim(worker);
  return { id: card.id, holder: { worker, attempt: 1 } };
}
