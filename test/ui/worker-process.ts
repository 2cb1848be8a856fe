// A worker in a process of its own, which a test may kill. It says on its standard output when it is ready, and has a job
// for everything that people look at: quick and slow, well and ill, alone and with parts.

import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { WorkerWords } from "./crew.ts";

const { url, token, host, name, labels, concurrency } = JSON.parse(process.argv[2] ?? "{}") as WorkerWords;
// A worker tells the host that its machine tells it: here one machine stands for many.
os.hostname = () => host;
syncBuiltinESMExports();
const { Client, Fail, Worker } = await import("../../src/sdk/index.ts");

const client = new Client({ url, token });
const worker = new Worker({ url, token, name, labels, concurrency, log: null });

const rotateInput = {
  type: "object",
  title: "Rotate a picture",
  properties: {
    picture: { type: "string", title: "Picture", description: "Its name in the archive.", minLength: 1 },
    angle: { type: "number", title: "Angle", description: "In degrees.", minimum: -360, maximum: 360, default: 90 },
    mode: { type: "string", title: "Mode", enum: ["fast", "smooth"], default: "smooth" },
    keep: { type: "boolean", title: "Keep the original", default: true },
    tags: { type: "array", title: "Tags", items: { type: "string" }, maxItems: 5 },
  },
  required: ["picture", "angle"],
  additionalProperties: false,
};
const rotateOutput = { type: "object", properties: { picture: { type: "string" } }, required: ["picture"] };

worker.job("studio:modifiers:Rotate", { input: rotateInput, output: rotateOutput }, ({ input }) => {
  const { picture, angle } = input as { readonly picture: string; readonly angle: number };
  return { picture: `${picture}@${angle}`, by: host };
});

/** Goes through its steps, and tells of each. */
worker.job("studio:analysis:Scan", {}, async (task) => {
  const { steps = 100, stepMs = 100 } = task.input as { readonly steps?: number; readonly stepMs?: number };
  task.log.info("scanning", steps, "slices");
  for (let step = 1; step <= steps; step += 1) {
    await pause(stepMs, undefined, { signal: task.signal });
    task.progress(step, steps, `slice ${step}`);
    task.log[step % 10 === 0 ? "warn" : "info"](`slice ${step} of ${steps}`);
  }
  return { slices: steps };
});

/** Fails in the way that it is asked for; the words differ from task to task, as such words do. */
worker.job("studio:analysis:Import", { timeoutMs: 500, retry: { maxAttempts: 1 } }, async (task) => {
  const { kind, nth = 1 } = task.input as { readonly kind: string; readonly nth?: number };
  if (kind === "refused") {
    const details = { mailbox: `box-${nth}`, tried: ["mx1.example", "mx2.example"] };
    throw new Fail(`There is no mailbox "box-${nth}"`, { code: "no-mailbox", details, retryable: false });
  }
  if (kind === "broken") throw new TypeError(`Cannot read row ${nth} of /data/import-${nth}.csv`);
  if (kind === "late") await pause(60_000, undefined, { signal: task.signal });
  return { kind };
});

/** Held until it is cancelled, or until its worker is no more. */
worker.job("studio:selections:Hold", {}, async ({ id, signal }) => {
  say(`holding ${id}`);
  await pause(600_000, undefined, { signal });
});

/** Leaves its work to so many parts, and ends with the last of them. */
worker.job("studio:modifiers:Album", {}, async (task) => {
  const { pictures = 3 } = task.input as { readonly pictures?: number };
  const parts = Array.from({ length: pictures }, (_, nth) => ({
    job: "studio:modifiers:Rotate",
    payload: { picture: `page-${nth + 1}`, angle: 90 },
    options: { parent: task.id },
  }));
  await client.submitMany(task.room, parts, { idempotencyKey: `${task.id}-parts` });
  task.defer({ total: pictures });
});

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}

worker.on("ready", (said) => say(`ready ${said.worker}`));
await worker.run();
client.close();
