import assert from "node:assert/strict";
import { test } from "node:test";
import type { Task } from "../../../src/sdk/index.ts";
import { anAssignment } from "./fake-server.ts";
import { hired, name } from "./hired.ts";

const message = (about: object = {}) => ({ queue: "q", operation: "store", payload: {}, ...about });
const later = (delayMs: unknown): Error =>
  Object.assign(new Error("The GPU is taken"), { name: "RetryLater", delayMs });

const ways: Readonly<Record<string, (task: Task) => unknown>> = {
  many: ({ defer }) => defer({ messages: Array.from({ length: 10_001 }, () => message()) }),
  long: ({ defer }) => defer({ messages: [message({ operation: "x".repeat(256) })] }),
  strange: ({ defer }) => defer({ messages: [message({ payload: new URL("http://127.0.0.1") })] }),
  mute: ({ defer }) => defer({ messages: [message({ payload: { toJSON: () => undefined } })] }),
  never: () => Promise.reject(later(Number.NaN)),
  half: () => Promise.reject(later(1_500.4)),
  fine: () => "fine",
};

test("a deferral or a delay that no server takes is a failure of its own task, and spoils no other", async () => {
  const all = Object.keys(ways);
  const run = (task: Task) => ways[(task.input as { way: string }).way]?.(task);
  const { connection } = await hired(run, { concurrency: all.length });
  const jobs = all.map((way) => anAssignment(name, { parameters: { way } }));
  connection.assign(...jobs);
  const results = await connection.resulted(all.length);
  const told = jobs.map(({ id }) => results.find(({ jobId }) => jobId === id));
  assert.deepEqual(
    told.map((each) => each?.outcome),
    [...Array(5).fill("failed"), "released", "succeeded"],
  );
  assert.match(told[0]?.error?.message ?? "", /10001 messages/);
  assert.match(told[1]?.error?.message ?? "", /more than 255 bytes/);
  assert.equal(told[5]?.delayMs, 1_500);
});
