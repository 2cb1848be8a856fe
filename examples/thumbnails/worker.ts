// Makes thumbnails of what is in the folder PICTURES, until Ctrl-C or SIGTERM.

import { Worker } from "leadhand";
import { thumbnails } from "./jobs.ts";

const worker = new Worker();
worker.job(thumbnails);
worker.on("task", ({ id, ending }) => console.log(`task ${id} ${ending}`));
await worker.run();
