// A server under load, in a process of its own: tasks are submitted and done as fast as it goes, until it is told to stop.
// It says on its standard output how many are done.

import { readConfig, server } from "../../src/server/index.ts";

const [data = ""] = process.argv.slice(2);
const job = "@global:operations:burden";
const [lanes, bulk] = [8, 50];

const leadhand = server(readConfig({ environment: {}, flags: { port: "0", data, "log-level": "warn" } }));
await leadhand.start();
const { jobs, workers, submit, claim, settle } = leadhand.operations;
await jobs.register({ name: job, schema: {}, source: "explicit", replace: true });

let done = 0;
let isOver = false;

async function load(): Promise<void> {
  const { id: worker } = await workers.register({ profile: "work", owner: null, jobs: new Map([[job, null]]) });
  while (!isOver) {
    await submit(Array.from({ length: bulk }, () => ({ job, room: "@global", payload: "{}" })));
    const tasks = await claim({ worker, limit: bulk, waitMs: 1_000, assign: true });
    const moves = tasks.map(({ card: { id }, row: { attempt } }) =>
      settle(id, { worker, attempt }, { type: "complete", result: null }),
    );
    done += (await Promise.all(moves)).length;
    process.stdout.write(`completed ${done}\n`);
  }
}

process.once("SIGTERM", () => {
  isOver = true;
});
await Promise.all(Array.from({ length: lanes }, load));
await leadhand.stop();
