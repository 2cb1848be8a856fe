// Consumers of one queue: workers of the link "amqp", as QueueConsumer and OperationConsumer are, with the operations of
// the document's pipeline, as far as they cost nothing themselves.

import { OperationRegistry, OperationResult, Worker } from "../../../src/sdk/index.ts";
import { told, untilLetGo } from "../../live/stage-door.ts";
import type { ConsumerWords } from "../words.ts";
import { tally, untilTold } from "./tally.ts";

const quiet = { log: null, signals: false, socket: false } as const;
const { consumers, ...where } = told<ConsumerWords>();
await untilTold();
const { done, tell } = tally();
const workers = Array.from({ length: consumers }, newWorker);
const running = workers.map((worker) => {
  const ready = new Promise<void>((resolve) => worker.on("ready", () => resolve()));
  return Promise.race([ready, worker.run()]);
});
await Promise.all(running);
let isStopping = false;
untilLetGo(() => {
  isStopping = true;
  return Promise.all(workers.map((worker) => worker.stop({ drainMs: 5_000 })));
});
tell();

function newWorker(): Worker {
  const worker = new Worker({ ...where, prefetch: where.prefetch - where.concurrency, link: "amqp", ...quiet });
  for (const job of operations().jobs()) worker.job(job);
  worker.on("task", ({ id, ending, error }) => {
    if (ending === "completed" || ending === "deferred") done();
    else if (!isStopping) throw new Error(`${id} ended ${ending}: ${error}`);
  });
  return worker;
}

function operations(): OperationRegistry {
  return new OperationRegistry()
    .register({ name: "store", execute: () => ({ ok: true }) })
    .register({
      name: "batch",
      execute: (_session, { items }) => {
        const payload = { rows: Array.from({ length: Number(items) }, (_, nth) => ({ id: nth, score: nth / 64 })) };
        return new OperationResult({
          publishOperations: [["protea.embeddings.write", { operation: "store", payload }]],
        });
      },
    })
    .register({
      name: "coordinate",
      execute: (_session, { batches, items }) =>
        new OperationResult({
          deferred: true,
          progressTotal: Number(batches),
          publishOperations: Array.from({ length: Number(batches) }, () => [
            "protea.embeddings.batch",
            { operation: "batch", payload: { items } },
          ]),
        }),
    });
}
