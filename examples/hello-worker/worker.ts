// Works until Ctrl-C or SIGTERM. LEADHAND_URL and LEADHAND_TOKEN say for which server.

import { Worker } from "leadhand";
import { hello } from "./jobs.ts";

const worker = new Worker({ concurrency: 4 });
worker.job(hello);
worker.on("task", ({ id, ending }) => console.log(`task ${id} ${ending}`));
await worker.run();
