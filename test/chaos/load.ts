// A mixed load on one engine: submitters, workers, cancels, beats, all at once and all on the record.

import { Problem } from "../../src/core/problem.ts";
import { anyOpenTask, eagerSweeper, rusher, settler } from "./contending.ts";
import { prepare, type Scene, type SceneOptions, scene } from "./scene.ts";
import { auditor, canceller, submitter, submitUnderKey, undertaker } from "./submitting.ts";
import { crew } from "./working.ts";

export interface LoadOptions extends SceneOptions {
  /** Calls under these keys were not answered; their callers try again. */
  readonly keys?: readonly string[];
  /** Whether to reach for what other servers on the database have in hand. */
  readonly contend?: boolean;
  /** An answer that no caller should have got. */
  readonly onFault: (error: unknown) => void;
}

export interface Load {
  /** Resolves when every actor has had its last answer. */
  stop(): Promise<void>;
}

const submitters = 8;
const profiles = ["work", "work", "work", "work", "work", "rest", "rest", "rest", "amqp", "amqp", "fleet"] as const;

export async function startLoad(options: LoadOptions): Promise<Load> {
  const stage = scene(options);
  const { chance, recent } = stage;
  await prepare(options.engine);
  const workers = crew(stage);
  const actors = [
    ...Array.from({ length: submitters }, () => submitter(stage)),
    ...profiles.map((profile) => workers.worker(profile)),
    workers.heart(),
    canceller(stage, async () => chance.oneOf(recent)),
    undertaker(stage, workers.isOurs),
    auditor(stage),
    repeatKeys(stage, options.keys ?? []),
    ...(options.contend ? contenders(stage) : []),
  ].map((actor) => actor.catch(options.onFault));
  return {
    async stop() {
      stage.end();
      await Promise.all(actors);
    },
  };
}

function contenders(stage: Scene): Promise<void>[] {
  const reaching = [settler(stage), rusher(stage), canceller(stage, () => anyOpenTask(stage)), eagerSweeper(stage)];
  // Tasks that nobody waits for, so that there is something to reach for.
  return [...reaching, submitter(stage, 0.2), submitter(stage, 0.2)];
}

/** Until they are answered: that is what a key is for. */
export async function repeatKeys(stage: Scene, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    for (let answer: unknown; !stage.signal.aborted; ) {
      answer = await submitUnderKey(stage, key);
      if (!(answer instanceof Problem)) break;
    }
  }
}
