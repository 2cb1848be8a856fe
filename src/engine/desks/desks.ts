// Where somebody asks for something: each desk knows who may, then hands over to the engine. All doors that know their
// callers come here.

import type { Schemas } from "../../ports/schemas.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type AlertDesk, alertDesk } from "./alert-desk.ts";
import { type AuditDesk, auditDesk } from "./audit-desk.ts";
import { type CallbackDesk, callbackDesk } from "./callback-desk.ts";
import { type ClaimDesk, claimDesk } from "./claim-desk.ts";
import { conditions } from "./conditions.ts";
import { type ControlDesk, controlDesk } from "./control-desk.ts";
import { type ExplainDesk, explainDesk } from "./explain-desk.ts";
import { type FleetDesk, fleetDesk } from "./fleet-desk.ts";
import { holders } from "./holders.ts";
import { type JobDesk, jobDesk } from "./job-desk.ts";
import { type ListenDesk, listenDesk } from "./listen-desk.ts";
import { type NodeDesk, nodeDesk } from "./node-desk.ts";
import { outputs } from "./outputs.ts";
import { type PauseDesk, pauseDesk } from "./pause-desk.ts";
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
  readonly explains: ExplainDesk;
  readonly audits: AuditDesk;
  readonly submits: SubmitDesk;
  readonly claims: ClaimDesk;
  readonly settles: SettleDesk;
  readonly jobs: JobDesk;
  readonly specs: SpecDesk;
  readonly versions: VersionDesk;
  readonly workers: WorkerDesk;
  readonly alerts: AlertDesk;
  readonly providers: ProviderDesk;
  readonly nodes: NodeDesk;
  readonly listens: ListenDesk;
  readonly work: WorkDesk;
  readonly fleet: FleetDesk;
  readonly callbacks: CallbackDesk;
  readonly control: ControlDesk;
  readonly pauses: PauseDesk;
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
  const settles = settleDesk(around, {
    ...{ operations, tasks, views, holders: held, outputs: results },
    ended: ({ job }) => jobs.dropIfOrphaned(job),
  });
  const work = workDesk(around, { operations, conditions: said, outputs: results });
  const submits = submitDesk(around, { operations, tasks, sight, views, schemas, executors });
  return {
    ...{ tasks, jobs, workers, settles, submits },
    audits: auditDesk(around),
    explains: explainDesk(around, { operations, tasks, workers, schemas, conditions: said }),
    specs: specDesk(around, { operations, schemas, jobs }),
    alerts: alertDesk(around, { operations, workers }),
    versions: versionDesk(around, { operations, jobs }),
    nodes: nodeDesk(around),
    providers: providerDesk(around, operations),
    claims: claimDesk(around, { operations, tasks, views, workers }),
    listens: listenDesk(around, { operations, workers }),
    work,
    fleet: fleetDesk(around, { operations, schemas, workers, submits, outputs: results, jobs }),
    stop() {
      work.stop();
      workers.stop();
    },
    control: controlDesk(around, { operations, workers, tasks, views }),
    pauses: pauseDesk(around, { operations, jobs, workers }),
    callbacks: callbackDesk(around, { operations, outputs: results }),
  };
}
