// Servers with internal jobs as processes of their own, and somebody who asks them for tasks.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { until } from "../../../src/testing/until.ts";
import type { Environment } from "../../leadhand-process.ts";
import { type Caller, caller } from "../rest/caller.ts";
import type { RestServer } from "../rest/rest-server.ts";

const file = fileURLToPath(new URL("../../internal-jobs/jobs.ts", import.meta.url));

/** What a server that was killed was running is run again two seconds later. */
export const withInternalJobs: Environment = {
  LEADHAND_INTERNAL: file,
  LEADHAND_INTERNAL_LOST_AFTER: "2s",
  LEADHAND_INTERNAL_THREADS: "2",
  LEADHAND_STOP_GRACE: "1s",
};

export interface Asker {
  /** Answers the id of the task; null where no answer came. */
  submit(job: string, payload?: unknown): Promise<string | null>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into tasks of every shape.
  task(id: string): Promise<any>;
  /** Its events by type, in order. */
  history(id: string): Promise<string[]>;
  /** Resolves when it has this status. */
  becomes(id: string, status: string, limitMs?: number): Promise<void>;
  cancel(id: string): Promise<void>;
}

export function asker(server: Pick<RestServer, "url" | "token">, calling: Caller = caller(server)): Asker {
  async function task(id: string) {
    const reply = await calling.ask("GET", `/tasks/${id}`);
    assert.equal(reply?.status, 200, `task ${id} is there`);
    return reply?.body;
  }
  return {
    task,
    async submit(job, payload = {}) {
      const reply = await calling.ask("POST", `/rooms/lab/tasks/@internal:modifiers:${job}`, { body: { payload } });
      if (reply === null) return null;
      assert.equal(reply.status, 202, JSON.stringify(reply.body));
      return reply.body.id;
    },
    async history(id) {
      const reply = await calling.ask("GET", `/tasks/${id}/events`);
      return reply?.body.items.map(({ type }: { type: string }) => type.replace("task.", ""));
    },
    becomes: (id, status, limitMs = 15_000) =>
      until(`task ${id} is ${status}`, async () => (await task(id)).status === status, limitMs),
    async cancel(id) {
      assert.equal((await calling.ask("POST", `/tasks/${id}/cancel`))?.status, 200);
    },
  };
}
