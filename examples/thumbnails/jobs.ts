// The job: makes small pictures of all pictures in a folder. Which folder is up to the worker, and never to those who submit.

import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { job } from "leadhand";
import { z } from "zod";
import { readPng, writePng } from "./png.ts";
import { shrink } from "./shrink.ts";

const folder = process.env["PICTURES"] ?? "pictures";

export const thumbnails = job(
  "lab:modifiers:thumbnails",
  {
    input: z.object({ width: z.int().min(1).max(1_000) }),
    output: z.object({ made: z.int(), skipped: z.array(z.string()) }),
  },
  async (task) => {
    const into = join(folder, "thumbnails");
    await mkdir(into, { recursive: true });
    const names = (await readdir(folder)).filter((name) => name.endsWith(".png")).sort();
    const skipped: string[] = [];
    for (const [index, name] of names.entries()) {
      task.progress(index, names.length, name);
      try {
        // A cancel ends the task here: a file that is read heeds the signal.
        const picture = readPng(await readFile(join(folder, name), { signal: task.signal }));
        await replace(join(into, name), writePng(shrink(picture, task.input.width)));
      } catch (error) {
        task.signal.throwIfAborted();
        task.log.warn(`${name}:`, error instanceof Error ? error.message : error);
        skipped.push(name);
      }
    }
    task.progress(names.length, names.length, "done");
    return { made: names.length - skipped.length, skipped };
  },
);

/** All of it or nothing, also where a task is done twice at the same time. */
async function replace(file: string, bytes: Buffer): Promise<void> {
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, bytes);
  await rename(draft, file);
}
