// Three operations of a pipeline that computes embeddings of proteins; the mathematics is a stand-in. The coordinator cuts
// the proteins into batches and is done; it stays running, in nobody's hands, until the last batch was written.

import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { job } from "leadhand";
import { z } from "zod";

/** Where `store_embeddings` writes; a real one would insert into a database. */
const table = process.env["EMBEDDINGS"] ?? "embeddings.jsonl";

const batch = z.object({ first: z.int().min(0), count: z.int().min(1) });
const vectors = z.object({ rows: z.array(z.object({ protein: z.string(), vector: z.array(z.number()) })) });

export const computeEmbeddings = job(
  "@global:operations:compute_embeddings",
  {
    queue: "protea.embeddings",
    // A deferral has at most 10,000 messages.
    input: z.object({ proteins: z.int().min(1).max(100_000), batch: z.int().min(10).default(10) }),
  },
  (task) => {
    const { proteins, batch: size } = task.input;
    const firsts = Array.from({ length: Math.ceil(proteins / size) }, (_, index) => index * size);
    task.emit("compute_embeddings.dispatched", `${firsts.length} batches`, { batches: firsts.length });
    task.defer({
      messages: firsts.map((first) => ({
        queue: "protea.embeddings.batch",
        operation: "compute_embeddings_batch",
        payload: { first, count: Math.min(size, proteins - first) },
      })),
    });
  },
);

/** Has no task of its own: a message comes in, another goes out. */
export const computeEmbeddingsBatch = job(
  "@global:operations:compute_embeddings_batch",
  { queue: "protea.embeddings.batch", input: batch },
  async (task) => {
    const { first, count } = task.input;
    // A real one would be busy on a GPU.
    await pause(20, undefined, { signal: task.signal });
    const rows = Array.from({ length: count }, (_, nth) => {
      const protein = `P${String(first + nth).padStart(6, "0")}`;
      return { protein, vector: [0, 1, 2].map((axis) => Math.sin((first + nth + 1) * (axis + 1))) };
    });
    const payload = { rows };
    task.defer({ messages: [{ queue: "protea.embeddings.write", operation: "store_embeddings", payload }] });
  },
);

/** The last of the chain: when it has ended, the coordinator counts one more. It may run twice; whoever reads looks at the last. */
export const storeEmbeddings = job(
  "@global:operations:store_embeddings",
  { queue: "protea.embeddings.write", input: vectors },
  async (task) => {
    await appendFile(table, task.input.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return { stored: task.input.rows.length };
  },
);

export const jobs = [computeEmbeddings, computeEmbeddingsBatch, storeEmbeddings];
