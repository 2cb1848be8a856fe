// Where somebody asks for something: each desk knows who may, then hands over to the engine. All doors that know their
// callers come here.

import type { Schemas } from "../../ports/schemas.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type AlertDesk, alertDesk } from "./alert-desk.ts";
import { type CallbackDesk, callbackDesk } from "./callback-desk.ts";
import { type ClaimDesk, claimDesk } from "./claim-desk.ts";
import { conditions } from "./conditions.ts";
import { holders } from "./holders.ts";
import { type JobDesk, jobDesk } from "./job-desk.ts";
import { type ListenDesk, listenDesk } from "./listen-desk.ts";
import { outputs } from "./outputs.ts";
import { type ProviderDesk, providerDesk } from "./provider-desk.ts";
import { type SettleDesk, settleDesk } from "./settle-desk.ts";
import { type SpecDesk, specDesk } from "./spec-desk.ts";
import { type SubmitDesk, type SubmitDeskParts, submitDesk } from "./submit-desk.ts";
import { type TaskDesk, taskDesk } from "./task-desk.ts";
import { taskSight } from "./task-sight.ts";
import { taskViews } from "./task-views.ts";
import { type VersionDesk, versionDesk } from "./version-desk.ts";
import { type WorkDesk, workDesk } from "./work-desk.ts";
import { type WorkerDesk, workerDesk } from "./worker-desk.ts";

export interface Desks {
  readonly tasks: TaskDesk;
  readonly submits: SubmitDesk;
  readonly claims: ClaimDesk;
  readonly settles: SettleDesk;
  readonly jobs: JobDesk;
  readonly specs: SpecDesk;
  readonly versions: VersionDesk;
  readonly workers: WorkerDesk;
  readonly alerts: AlertDesk;
  readonly providers: ProviderDesk;
  readonly listens: ListenDesk;
  readonly work: WorkDesk;
  readonly callbacks: CallbackDesk;
  stop(): void;
}

export interface DesksParts {
  readonly operations: Operations;
  readonly schemas: Schemas;
  /** The executors inside this server, where it has any. */
  readonly executors?: SubmitDeskParts["executors"];
}

export function desks(given: Surroundings, { operations, schemas, executors }: DesksParts): Desks {
  const around = { ...given, store: operations.news.telling(given.store) };
  const { catalog, waits } = operations;
  const views = taskViews(operations);
  const held = holders(around, operations);
  const sight = taskSight(around, { catalog, holders: held });
  const tasks = taskDesk(around, { catalog, views, waits, sight });
  const jobs = jobDesk(around, { operations, schemas });
  const said = conditions(around, { operations });
  const workers = workerDesk(around, { operations, jobs, conditions: said });
  const results = outputs({ catalog, schemas });
  const settles = settleDesk({
    ...{ operations, tasks, views, holders: held, outputs: results },
    ended: ({ job }) => jobs.dropIfOrphaned(job),
  });
  const work = workDesk(around, { operations, conditions: said, outputs: results });
  return {
    ...{ tasks, jobs, workers, settles },
    specs: specDesk({ operations, schemas, jobs }),
    alerts: alertDesk(around, { operations, workers }),
    versions: versionDesk(around, { operations, jobs }),
    submits: submitDesk(around, { operations, tasks, sight, views, schemas, executors }),
    providers: providerDesk(around, operations),
    claims: claimDesk(around, { operations, tasks, views, workers }),
    listens: listenDesk(around, { operations, workers }),
    work,
    stop() {
      work.stop();
      workers.stop();
    },
    callbacks: callbackDesk(around, { operations, outputs: results }),
  };
}
