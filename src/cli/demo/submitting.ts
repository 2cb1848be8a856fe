// Submits a sample task every moment, and cancels those that are to be cancelled.

import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../sdk/client.ts";
import { demoRoom, sampleJobs } from "./sample-jobs.ts";
import { sampleTask } from "./sample-tasks.ts";

const everyMs = 250;
const lookMs = 20;

/** Goes on until the signal aborts. */
export async function submitSamples(client: Client, signal: AbortSignal): Promise<void> {
  const cancels = new Set<Promise<void>>();
  try {
    await jobsAreThere(client, signal);
    for (let number = 0; ; number += 1) {
      const { job, payload, options, cancelAfterMs, withNext } = sampleTask(number);
      const { id } = await client.submit(job, payload, options);
      if (cancelAfterMs !== undefined) {
        const cancel = cancelLater(client, id, cancelAfterMs, signal).then(() => void cancels.delete(cancel));
        cancels.add(cancel);
      }
      if (withNext === undefined) await pause(everyMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await Promise.all(cancels);
  }
}

/** The workers register them, and need a moment for it. */
async function jobsAreThere(client: Client, signal: AbortSignal): Promise<void> {
  for (;;) {
    let count = 0;
    for await (const { full_name } of client.jobs({ room: demoRoom })) {
      if (sampleJobs.some(({ name }) => name === full_name)) count += 1;
    }
    if (count === sampleJobs.length) return;
    await pause(lookMs, undefined, { signal });
  }
}

async function cancelLater(client: Client, id: string, ms: number, signal: AbortSignal): Promise<void> {
  // When the demo ends it is time, too: a task that is due in a minute would be left open.
  await pause(ms, undefined, { signal }).catch(() => {});
  // It may have been done sooner than that; and a server that is in trouble is noticed by the next submit.
  await client.cancel(id).catch(() => {});
}
