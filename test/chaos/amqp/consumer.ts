// A consumer's program as a user would write it, in a process of its own. A payload says what its operation does.

import { setTimeout as pause } from "node:timers/promises";
import {
  Fail,
  OperationConsumer,
  OperationRegistry,
  OperationResult,
  QueueConsumer,
  RetryLaterError,
} from "../../../src/sdk/index.ts";
import { type Orders, type Part, queues, type Said, type Spread, type Work } from "./words.ts";

const { kind, ...orders } = JSON.parse(process.argv[2] ?? "{}") as Orders;
const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

async function does({ fail = false, ms = 0, notBefore = 0, mark }: Work): Promise<void> {
  if (ms > 0) await pause(ms);
  if (Date.now() < notBefore) throw new RetryLaterError("too early", 0.2);
  if (fail) throw new Fail("as it was asked to", { code: "Asked", retryable: false, details: { mark } });
}

const registry = new OperationRegistry();
registry.register({
  name: "work",
  async execute(_session, payload) {
    const work = payload as unknown as Work & { readonly _job_id: string };
    say({ ran: "work", id: work._job_id, mark: work.mark });
    await does(work);
    return { mark: work.mark };
  },
});
registry.register({
  name: "spread",
  execute(_session, payload) {
    const { parts, mark, _job_id: id } = payload as unknown as Spread & { readonly _job_id: string };
    say({ ran: "spread", id, mark });
    return new OperationResult({
      ...{ deferred: true, progressCurrent: 0, progressTotal: parts.length },
      publishOperations: parts.map((part) => [queues.batch, { operation: "batch", payload: { ...part } }]),
    });
  },
});
for (const name of ["batch", "write"] as const) {
  registry.register({
    name,
    async execute(_session, payload) {
      const { _job_id: id, ...part } = payload as unknown as Part & { readonly _job_id: string };
      say({ ran: name, id, mark: part.mark, nth: part.nth });
      await does({ ...part, fail: part.failAt === name });
      if (name === "write") return { stored: 1 };
      return new OperationResult({ publishOperations: [[queues.write, { operation: "write", payload: { ...part } }]] });
    },
  });
}

const Consumer = kind === "job" ? QueueConsumer : OperationConsumer;
await new Consumer({ ...orders, registry, socket: false, heartbeatMs: 1_000 }).run();
