// A process with many workers that each hold one running task. It is stopped from outside in the middle of its work, and
// does not know of it: when it goes on, it reports results as if nothing had happened.

import { caller, type Reply } from "./caller.ts";
import { fullName, hire, type JobName, room } from "./stage.ts";

/** What the process is told: first this, then "hold" and "finish" in turn. Plain JSON. */
export interface Orders {
  readonly url: string;
  readonly token: string;
  readonly workers: number;
}

export interface Held {
  readonly id: string;
  readonly job: JobName;
  readonly worker: string;
  readonly lease_token: string;
}

/** How late reports were answered: of a result, then of a failure. */
export interface Late {
  readonly id: string;
  readonly job: JobName;
  readonly statuses: readonly (number | undefined)[];
}

export type Word = { readonly held: readonly Held[] } | { readonly late: readonly Late[] };

const beatMs = 300;
/** What the profile of the door says becomes of a lost worker's task, and what a job may say instead. */
const jobs: readonly JobName[] = ["Plain", "Requeued"];

function run({ url, token, workers }: Orders): void {
  const calling = caller({ url, token });
  const beating = new Set<string>();
  let held: Held[] = [];
  setInterval(() => {
    for (const id of beating) void calling.ask("PATCH", `/workers/${id}`);
  }, beatMs);

  async function hold(nth: number): Promise<Held> {
    const worker = (await hire({ caller: calling })) as string;
    beating.add(worker);
    const job = jobs[nth % jobs.length] as JobName;
    const { id } = said(await calling.ask("POST", `/rooms/${room}/tasks/${fullName(job)}`, { body: {} }));
    const taken = said(await calling.ask("POST", `/tasks/${id}/claim`, { body: { worker_id: worker } }));
    const { lease_token } = taken;
    said(await calling.ask("PATCH", `/tasks/${id}`, { body: { status: "running", lease_token } }));
    return { id, job, worker, lease_token };
  }

  /** By lease token, by the number of the attempt, and without either, as the documents' clients do. */
  async function finish({ id, job, lease_token }: Held, nth: number): Promise<Late> {
    const proof = [{ lease_token }, { attempt: 1 }, {}][nth % 3];
    const report = (words: object) => calling.ask("PATCH", `/tasks/${id}`, { body: { ...words, ...proof } });
    const completed = await report({ status: "completed", result: "late" });
    const failed = await report({ status: "failed", error: "late" });
    return { id, job, statuses: [completed?.status, failed?.status] };
  }

  process.on("message", async (order: "hold" | "finish") => {
    if (order === "hold") {
      held = await Promise.all(Array.from({ length: workers }, (_, nth) => hold(nth)));
      say({ held });
    } else {
      say({ late: await Promise.all(held.map(finish)) });
      beating.clear();
    }
  });
}

function said(reply: Reply | null): Reply["body"] {
  if (reply !== null && reply.status < 300) return reply.body;
  throw new Error(`Not as it should be: ${JSON.stringify(reply)}`);
}

function say(word: Word): void {
  process.send?.(word);
}

// Nobody is left to stop it: it must not go on alone.
process.on("disconnect", () => process.exit(0));
run(JSON.parse(process.argv[2] as string) as Orders);
