// `node client.ts Ada 2` submits a task, waits for its end, and prints what came of it.

import { Client, ServerProblem } from "leadhand";
import { hello } from "./jobs.ts";

const [name = "world", times] = process.argv.slice(2);
const client = new Client();
try {
  const { greeting } = await client.run(hello, { name, ...(times !== undefined && { times: Number(times) }) });
  console.log(greeting);
} catch (error) {
  // What does not fit is refused by the server, before any worker sees it.
  if (!(error instanceof ServerProblem && error.status === 422)) throw error;
  for (const { pointer, detail } of error.errors) console.error(`${pointer}: ${detail}`);
  process.exitCode = 1;
} finally {
  client.close();
}
