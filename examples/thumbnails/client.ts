// `node client.ts 64` has thumbnails of 64 pixels made, and shows how far they are. Ctrl-C cancels the task.

import { Client } from "leadhand";
import { thumbnails } from "./jobs.ts";

const client = new Client();
const { id } = await client.submit(thumbnails, { width: Number(process.argv[2] ?? 64) });
process.once("SIGINT", () => void client.cancel(id));

for await (const task of client.watch(id)) {
  // Also with the end: what a short task tells of itself may come together with its result.
  if (task.progress !== null) {
    const { current, total, message } = task.progress;
    console.log(`${current} of ${total} ${message}`);
  }
  if (task.status !== "running") console.log(task.status, task.result ?? task.error ?? "");
}
client.close();
