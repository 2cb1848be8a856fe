import type { Static } from "typebox";
import type { Condition } from "../../../engine/desks/conditions.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { WorkerRecord } from "../../../ports/records.ts";
import type { WorkerBeat, WorkerStart } from "../../../protocol/rest/worker-bodies.ts";
import type { workerRoutes } from "../../../protocol/rest/worker-routes.ts";
import { type Handlers, json } from "../call.ts";
import { labelOf, toldCommand } from "../control-json.ts";
import { pageAnswer } from "../page-json.ts";
import { taskJson } from "../task-json.ts";
import { isoTime } from "../time.ts";
import { workerDetailWords, workerEventJson, workerSummaryJson } from "../worker-json.ts";
import { jobSummaryJson } from "./jobs.ts";

export function workerHandlers({ workers, tasks, jobs }: Desks): Handlers<keyof typeof workerRoutes> {
  return {
    createWorker: async ({ who, body }) => json(201, workerWords(await workers.create(who, startWords(body)))),
    async listWorkers({ who, query }) {
      const { find_deleted: deleted = false, state, room, label, ...page } = query;
      const found = await workers.list(who, {
        ...page,
        deleted,
        state,
        room,
        label: label === undefined ? undefined : labelOf(label, "/query/label"),
      });
      return pageAnswer(found, query, workerSummaryJson);
    },
    getWorker: async ({ who, params }) => json(200, workerDetailWords(await workers.get(who, params.worker_id))),
    async beatWorker({ who, params, body }) {
      const { id, seenAt, cancel, commands } = await workers.beat(who, params.worker_id, conditionOf(body));
      return json(200, { id, last_heartbeat: isoTime(seenAt), cancel, commands: commands.map(toldCommand) });
    },
    async deleteWorker({ who, params }) {
      await workers.remove(who, params.worker_id);
      return { status: 204 };
    },
    async listWorkerTasks({ who, params, query }) {
      await workers.get(who, params.worker_id);
      const { status: state, ...page } = query;
      return pageAnswer(
        await tasks.list(who, { ...page, worker: params.worker_id, ...(state && { state }) }),
        query,
        taskJson,
      );
    },
    async listWorkerJobs({ who, params, query }) {
      return pageAnswer(await workers.jobs(who, params.worker_id, query), query, (job) =>
        jobSummaryJson(jobs.view(job)),
      );
    },
    async listWorkerEvents({ who, params, query }) {
      return pageAnswer(await workers.events(who, params.worker_id, query), query, workerEventJson);
    },
    async listRoomWorkers({ who, params, query }) {
      return pageAnswer(await workers.list(who, { ...query, room: params.room_id }), query, workerSummaryJson);
    },
  };
}

function startWords({ name = null, hostname = null, os = null, labels = {}, ...more }: Static<typeof WorkerStart>) {
  const { queues = null, version, concurrency, profile = "rest" } = more;
  const about = { ...(version != null && { version }), ...(concurrency != null && { concurrency }) };
  const said = Object.keys(about).length === 0 ? null : JSON.stringify(about);
  return { name, hostname, os, queues, labels, profile, about: said };
}

function conditionOf({ status, blocked_ms: blockedMs }: Static<typeof WorkerBeat>): Condition | null {
  if (status === undefined && blockedMs === undefined) return null;
  const { cpuPercent = null, ramBytes = null, loopLagMs = null } = status ?? {};
  return { cpuPercent, ramBytes, loopLagMs, blockedMs: blockedMs ?? null };
}

function workerWords({ id, session }: WorkerRecord) {
  return { id, last_heartbeat: isoTime(session.seenAt) };
}
