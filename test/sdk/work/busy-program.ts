// A worker whose only job keeps its program busy for as long as the payload says.

import { Worker } from "../../../src/sdk/index.ts";

const name = "@global:modifiers:Rotate";

const worker = new Worker({ url: process.argv[2] ?? "", token: "t", link: "work", log: null });
worker.job(name, {}, ({ input }) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, (input as { ms: number }).ms);
});
await worker.run();
