// Two jobs that the server runs itself, each task in a thread of its own:
//
//   leadhand serve --internal examples/internal-job/jobs.mjs

import { createHash } from "node:crypto";
import { job } from "leadhand";

/** Counts the words of a text. */
const countWords = job(
  "@internal:analysis:CountWords",
  {
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    output: { type: "object", properties: { words: { type: "integer" } }, required: ["words"] },
  },
  (task) => {
    const { text } = /** @type {{ text: string }} */ (task.input);
    return { words: text.split(/\s+/).filter((word) => word !== "").length };
  },
);

/** Hashes a hash again and again: a minute of work for one thread, and the server answers meanwhile. */
const grind = job("@internal:analysis:Grind", { retry: { maxAttempts: 2 }, timeoutMs: 600_000 }, async (task) => {
  const { rounds = 100 } = /** @type {{ rounds?: number }} */ (task.input);
  let hash = "";
  for (let round = 1; round <= rounds; round += 1) {
    // A cancel is heard between two turns of the loop.
    await new Promise(setImmediate);
    task.signal.throwIfAborted();
    for (let turn = 0; turn < 10_000; turn += 1) hash = createHash("sha256").update(hash).digest("hex");
    task.progress(round, rounds, "grinding");
  }
  task.log.info("ground %d rounds", rounds);
  return { hash };
});

export const jobs = [countWords, grind];
