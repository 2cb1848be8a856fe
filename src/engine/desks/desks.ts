// Where somebody asks for something: each desk knows who may, then hands over to the engine. All doors that know their
// callers come here.

import type { Schemas } from "../../ports/schemas.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type ActDesk, actDesk } from "./act-desk.ts";
import { type AlertDesk, alertDesk } from "./alert-desk.ts";
import { type AuditDesk, auditDesk } from "./audit-desk.ts";
import { type BulkDesk, bulkDesk } from "./bulk-desk.ts";
import { type CallbackDesk, callbackDesk } from "./callback-desk.ts";
import { type CheckDesk, checkDesk } from "./check-desk.ts";
import { type ClaimDesk, claimDesk } from "./claim-desk.ts";
import { conditions } from "./conditions.ts";
import { type ControlDesk, controlDesk } from "./control-desk.ts";
import { type CountDesk, countDesk } from "./count-desk.ts";
import { coworkers } from "./coworkers.ts";
import { type ExplainDesk, explainDesk } from "./explain-desk.ts";
import { type FleetDesk, fleetDesk } from "./fleet-desk.ts";
import { holders } from "./holders.ts";
import { type JobDesk, jobDesk } from "./job-desk.ts";
import { type ListenDesk, listenDesk } from "./listen-desk.ts";
import { type LogDesk, logDesk } from "./log-desk.ts";
import { type NodeDesk, nodeDesk } from "./node-desk.ts";
import { outputs } from "./outputs.ts";
import { type PauseDesk, pauseDesk } from "./pause-desk.ts";
import { type ProviderDesk, providerDesk } from "./provider-desk.ts";
import { type PulseDesk, pulseDesk } from "./pulse-desk.ts";
import { type SettleDesk, settleDesk } from "./settle-desk.ts";
import { type SpecDesk, specDesk } from "./spec-desk.ts";
import { type StatisticDesk, statisticDesk } from "./statistic-desk.ts";
import { type SubmitDesk, type SubmitDeskParts, submitDesk } from "./submit-desk.ts";
import { noFacts, type ServerFacts, type SystemDesk, systemDesk } from "./system-desk.ts";
import { type TaskDesk, taskDesk } from "./task-desk.ts";
import { taskSight } from "./task-sight.ts";
import { taskViews } from "./task-views.ts";
import { type VersionDesk, versionDesk } from "./version-desk.ts";
import { type WatchDesk, watchDesk } from "./watch-desk.ts";
import { type WorkDesk, workDesk } from "./work-desk.ts";
import { type WorkerDesk, workerDesk } from "./worker-desk.ts";

export interface Desks {
  readonly tasks: TaskDesk;
  readonly explains: ExplainDesk;
  readonly audits: AuditDesk;
  readonly submits: SubmitDesk;
  readonly checks: CheckDesk;
  readonly claims: ClaimDesk;
  readonly settles: SettleDesk;
  readonly bulk: BulkDesk;
  readonly counts: CountDesk;
  readonly logs: LogDesk;
  readonly jobs: JobDesk;
  readonly specs: SpecDesk;
  readonly versions: VersionDesk;
  readonly workers: WorkerDesk;
  readonly watches: WatchDesk;
  readonly alerts: AlertDesk;
  readonly providers: ProviderDesk;
  readonly nodes: NodeDesk;
  readonly system: SystemDesk;
  readonly listens: ListenDesk;
  readonly work: WorkDesk;
  readonly fleet: FleetDesk;
  readonly callbacks: CallbackDesk;
  readonly control: ControlDesk;
  readonly pauses: PauseDesk;
  readonly statistics: StatisticDesk;
  readonly pulses: PulseDesk;
  readonly acts: ActDesk;
  stop(): Promise<void>;
}

export interface DesksParts {
  readonly operations: Operations;
  readonly schemas: Schemas;
  /** The executors inside this server, where it has any. */
  readonly executors?: SubmitDeskParts["executors"];
  /** What the server around knows of itself. */
  readonly facts?: ServerFacts;
}

export function desks(given: Surroundings, { operations, schemas, executors, facts = noFacts }: DesksParts): Desks {
  const around = { ...given, store: operations.news.telling(given.store) };
  const { catalog, waits } = operations;
  const views = taskViews(operations);
  const held = holders(around, operations);
  const sight = taskSight(around, { catalog, holders: held });
  const tasks = taskDesk(around, { catalog, views, waits, sight, holders: held });
  const jobs = jobDesk(around, { operations, schemas });
  const said = conditions(around, { operations });
  const workers = workerDesk(around, { operations, jobs, conditions: said });
  const results = outputs({ catalog, schemas });
  const settles = settleDesk(around, {
    ...{ operations, tasks, views, holders: held, outputs: results },
    ended: ({ job }) => jobs.dropIfOrphaned(job),
  });
  const speakers = coworkers({ operations });
  const work = workDesk(around, { operations, conditions: said, outputs: results });
  const submits = submitDesk(around, { operations, tasks, sight, views, schemas, executors });
  const explains = explainDesk(around, { operations, tasks, workers, schemas, conditions: said });
  const statistics = statisticDesk(around, { operations, jobs });
  const acts = actDesk(around, { operations, tasks, settles, submits });
  return {
    checks: checkDesk(around, { operations, schemas }),
    watches: watchDesk(around, { operations, workers }),
    ...{ tasks, jobs, workers, settles, submits, explains, statistics },
    pulses: pulseDesk(around, { operations, statistics, workers, explains }),
    bulk: bulkDesk(around, { operations, outputs: results }),
    counts: countDesk({ operations, coworkers: speakers }),
    logs: logDesk(around, { operations, tasks, holders: held, coworkers: speakers }),
    audits: auditDesk(around),
    specs: specDesk(around, { operations, schemas, jobs }),
    alerts: alertDesk(around, { operations, workers }),
    versions: versionDesk(around, { operations, jobs }),
    nodes: nodeDesk(around, { operations }),
    system: systemDesk(around, { operations, facts }),
    providers: providerDesk(around, operations),
    claims: claimDesk(around, { operations, tasks, views, workers }),
    listens: listenDesk(around, { operations, workers, tasks }),
    work,
    fleet: fleetDesk(around, { operations, schemas, workers, submits, outputs: results, jobs }),
    acts,
    async stop() {
      work.stop();
      workers.stop();
      await acts.quiet();
    },
    control: controlDesk(around, { operations, workers, tasks, views }),
    pauses: pauseDesk(around, { operations, jobs, workers }),
    callbacks: callbackDesk(around, { operations, outputs: results }),
  };
}
