// A consumer in a process of its own, one of whose operations ends the process.

import { appendFileSync } from "node:fs";
import { Worker } from "../../src/sdk/index.ts";

const [url = "", token = "", amqpUrl = "", queue = "", runs = ""] = process.argv.slice(2);
const where = { url, token, amqpUrl, queue, link: "amqp", kind: "operation" } as const;
const worker = new Worker({ ...where, prefetch: 8, socket: false, log: null });
const run = (name: string, index: unknown): void => appendFileSync(runs, `${name} ${index}\n`);

worker.job("@global:operations:die", {}, ({ input }) => {
  run("die", (input as { index: number }).index);
  process.kill(process.pid, "SIGKILL");
  return new Promise<void>(() => undefined);
});
worker.job("@global:operations:live", {}, ({ input }) => run("live", (input as { index: number }).index));
await worker.run();
