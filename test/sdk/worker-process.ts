// A worker in a process of its own, which a test may block, signal or kill. It says on its standard output what it does.

import { Worker } from "../../src/sdk/index.ts";

const [url = "", token = "", heartbeatMs = "100"] = process.argv.slice(2);
const say = (word: string): void => void process.stdout.write(`${word}\n`);
const options = { heartbeatMs: Number(heartbeatMs), drainMs: 60_000, socket: false, log: null } as const;
const worker = new Worker({ url, token, link: "rest", ...options });

worker.job("@global:modifiers:Block", {}, ({ attempt, input }) => {
  const { ms } = input as { ms: number };
  say("blocking");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return { attempt };
});
worker.job("@global:modifiers:Hang", {}, async ({ signal }) => {
  say("hanging");
  signal.addEventListener("abort", () => say("asked to stop"));
  await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
});
worker.on("ready", (said) => say(`ready ${said.worker}`));

// As a launcher that passes on what its own process has got: the same signal again, in the same moment.
process.once("SIGTERM", () => process.kill(process.pid, "SIGTERM"));
process.on("SIGTERM", () => say("heard"));
await worker.run();
say("done");
