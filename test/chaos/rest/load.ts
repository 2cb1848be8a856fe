// A mixed load over HTTP: submitters, workers, cancels and beats, all at once and all on the record.

import { hire, idsOf, type JobName, jobNames, type Stage, type StageOptions, stage, submit } from "./stage.ts";
import { crew } from "./working.ts";

export interface Load {
  /** Resolves when every actor has had its last answer. */
  stop(): Promise<void>;
}

const submitters = 12;
const workers = 8;

export async function startLoad(options: StageOptions & { onFault(fault: string): void }): Promise<Load> {
  const here = stage(options);
  await hire(here);
  const { worker, heart } = crew(here);
  const actors = [
    ...Array.from({ length: submitters }, () => submitter(here)),
    ...Array.from({ length: workers }, worker),
    heart(),
    canceller(here),
  ].map((actor) => actor.catch((error: Error) => options.onFault(`${error.stack}`)));
  return {
    async stop() {
      here.end();
      await Promise.all(actors);
    },
  };
}

/** Submitters that often wait for what they asked for keep a load from outgrowing its workers. */
async function submitter(here: Stage): Promise<void> {
  const { chance, signal, caller } = here;
  while (!signal.aborted) {
    const reply = chance.happens(0.3) ? await submitUntilAnswered(here) : await submit(here, something(here));
    // The last worker may be gone, and the jobs with it.
    if (reply?.status === 404) await hire(here);
    if (reply?.status !== 202 || !chance.happens(0.5)) continue;
    await caller.ask("GET", `/tasks/${idsOf(reply).at(-1)}`, { headers: { prefer: "wait=1" } });
  }
}

function something(here: Stage) {
  const { chance } = here;
  const many = chance.happens(0.4) ? chance.between(2, 20) : 1;
  const jobs = Array.from({ length: many }, () => chance.oneOf(jobNames) as JobName);
  return { jobs, call: here.mark(), ...(chance.happens(0.1) && { delaySeconds: 0.2 }) };
}

/** That is what a key is for. Should it end unanswered, the tasks may be there, but not twice. */
async function submitUntilAnswered(here: Stage) {
  const wanted = { ...something(here), keyed: true };
  for (;;) {
    const reply = await submit(here, wanted);
    if (reply !== null && reply.status !== 503) return reply;
    if (here.signal.aborted) return null;
  }
}

async function canceller(here: Stage): Promise<void> {
  const { chance, caller, recent, signal, note } = here;
  while (!signal.aborted) {
    // Rarely enough that most tasks come to an end of their own.
    await here.rest(chance.between(5, 60));
    const id = chance.oneOf(recent);
    if (id === undefined) continue;
    const reply = chance.happens(0.5)
      ? await caller.ask("POST", `/tasks/${id}/cancel`)
      : await caller.ask("PATCH", `/tasks/${id}`, { body: { status: "cancelled" } });
    if (reply?.status === 200) note({ what: "done", id, types: ["task.cancelled"], attempt: null, worker: null });
  }
}
