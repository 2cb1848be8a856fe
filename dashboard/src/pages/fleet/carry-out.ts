import { useState } from "react";
import { ask } from "../../api/client.ts";
import { problemTitle, tellProblem } from "../../api/problem.ts";
import { outdate } from "../../api/queries.ts";
import { plural } from "../../parts/text.ts";
import { useTell } from "../../parts/toast.tsx";
import { type ActName, actWords, changedByActs, requestOf, type Said, type Target, whatOf } from "./act-words.ts";

/** So many requests at a time: a group may be large, and others want answers too. */
const atOnce = 4;

export interface Progress {
  readonly done: number;
  readonly of: number;
}

export interface CarryOut {
  /** Null: nothing is under way. */
  readonly progress: Progress | null;
  readonly carryOut: (act: ActName, target: Target, said: Said) => Promise<void>;
}

/** Does it to each of them, and tells once how it went. */
export function useCarryOut(): CarryOut {
  const tell = useTell();
  const [progress, setProgress] = useState<Progress | null>(null);
  async function carryOut(act: ActName, target: Target, said: Said): Promise<void> {
    const refused: unknown[] = [];
    if (act === "roll") await beginPlan(target, said).catch((error) => refused.push(error));
    else await eachOf(act, target, said, refused, setProgress);
    setProgress(null);
    outdate(...changedByActs);
    const many = act === "roll" ? 1 : target.workers.length;
    if (refused.length === 0) tell(actWords[act].done(whatOf(target)));
    else {
      const how = many === 1 ? problemTitle(refused[0]) : `${plural(refused.length, "worker")} of ${many} refused`;
      tell(how, tellProblem(refused[0]), "bad");
    }
  }
  return { progress, carryOut };
}

async function beginPlan({ label }: Target, { note, seconds, atATime }: Said): Promise<void> {
  const body = { label: label ?? "", at_a_time: atATime, deadline_seconds: seconds, note };
  await ask({ route: "POST /workers/drain", body });
}

async function eachOf(
  act: Exclude<ActName, "roll">,
  { workers }: Target,
  said: Said,
  refused: unknown[],
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const queue = workers.map(({ id }) => id);
  let done = 0;
  async function work(): Promise<void> {
    for (let worker = queue.shift(); worker !== undefined; worker = queue.shift()) {
      await ask(requestOf(act, worker, said)).catch((error) => refused.push(error));
      done += 1;
      onProgress({ done, of: workers.length });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
}
