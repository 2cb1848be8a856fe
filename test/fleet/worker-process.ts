// A worker of the fleet in a process of its own, as whoever uses the SDK starts one. It says on its standard output when
// it is ready, and when it has ended.

import { Worker } from "../../src/sdk/index.ts";

const [url = "", token = "", block = ""] = process.argv.slice(2);
const say = (word: string): void => void process.stdout.write(`${word}\n`);
const worker = new Worker({ url, token, link: "fleet", pollMs: 20, log: null });

worker.job(`@global:blocks:${block}`, {}, ({ input }) => ({ input, by: process.pid }));
worker.on("ready", (said) => say(`ready ${said.worker}`));
await worker.run();
say("done");
