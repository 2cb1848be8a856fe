// A program whose handler does not let go of the processor.

import { Category, Extension, JobManager } from "../../../src/sdk/index.ts";

const [url = "", token = "", blockMs = ""] = process.argv.slice(2);

class Block extends Extension {
  static readonly category = Category.MODIFIER;
  run() {
    const end = performance.now() + Number(blockMs);
    while (performance.now() < end);
  }
}

const manager = new JobManager(
  { url, token },
  {},
  { heartbeatInterval: 0.5, pollingInterval: 0.05, execute: ({ extension }) => extension.run(null) },
);
await manager.register(Block);
process.send?.("ready");
await manager.wait();
