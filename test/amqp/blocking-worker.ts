// A consumer in a process of its own, whose operation blocks the whole program.

import { Worker } from "../../src/sdk/index.ts";

const [url = "", token = "", amqpUrl = "", queue = ""] = process.argv.slice(2);
const worker = new Worker({
  url,
  token,
  amqpUrl,
  queue,
  link: "amqp",
  kind: "job",
  heartbeatMs: 250,
  socket: false,
  log: null,
});

worker.job("@global:operations:block", {}, ({ attempt }) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000);
  return { attempt };
});
worker.on("ready", () => process.stdout.write("ready\n"));
await worker.run();
