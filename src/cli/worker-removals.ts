// Workers that are to be gone for good, from the command line.

import type { Static } from "typebox";
import type { Cleared } from "../protocol/fleet/words.ts";
import { refuseFlags } from "./act-flags.ts";
import type { Asking } from "./asking-command.ts";
import { counted } from "./counted.ts";
import { checkedId } from "./ids.ts";
import { printJson, printLines } from "./print.ts";
import { noteOf, only, type WorkerAct } from "./worker-acts.ts";

type ClearedAnswer = Static<typeof Cleared>;

/** The server deletes them one by one. */
const manyMs = 600_000;

export const workerRemovals: Readonly<Record<string, WorkerAct>> = {
  async delete(asking, words) {
    const [given = ""] = only(words, ["ID"]);
    const id = checkedId(given);
    refuseFlags(asking.flags, "workers delete", ["note", "for"]);
    await asking.ask("DELETE", `/workers/${id}`);
    if (asking.json) printJson(JSON.stringify({ deleted: 1, workers: [id] } satisfies ClearedAnswer));
    else console.log(`${id} is deleted`);
    return 0;
  },
  cleanup: (asking, words) => cleanup(asking, "cleanup", words),
  "cleanup-offline": (asking, words) => cleanup(asking, "cleanup-offline", words),
};

async function cleanup(asking: Asking, act: string, words: readonly string[]): Promise<number> {
  only(words, []);
  const ask = { body: noteOf(asking), atRoot: true, waitMs: manyMs } as const;
  const { body, text } = await asking.ask<ClearedAnswer>("POST", `/workers/${act}`, ask);
  if (asking.json) printJson(text);
  else printLines([`${counted(body.deleted, "worker")} deleted`, ...body.workers]);
  return 0;
}
