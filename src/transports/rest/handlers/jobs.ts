import type { Json } from "../../../core/checksum.ts";
import { parseJobName } from "../../../core/name.ts";
import type { Policy } from "../../../core/policy.ts";
import { shownPush } from "../../../core/push.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { JobView } from "../../../engine/desks/job-desk.ts";
import type { jobRoutes } from "../../../protocol/rest/job-routes.ts";
import { type Handlers, json } from "../call.ts";
import { pauseWords } from "../control-json.ts";
import { pageAnswer } from "../page-json.ts";
import { taskJson } from "../task-json.ts";
import { isoTime } from "../time.ts";

export function jobHandlers({ jobs, tasks }: Desks): Handlers<keyof typeof jobRoutes> {
  return {
    async registerJob({ who, params, body }) {
      const { category, name, schema, schema_, output, queue, labels, push, policy, worker_id: worker } = body;
      const { created, ...registered } = await jobs.register(who, params.room_id, {
        ...{ category, name, worker: worker?.toLowerCase() ?? null },
        schema: (schema ?? schema_ ?? {}) as Json,
        ...(output !== undefined && { output: output as Json }),
        ...(queue !== undefined && { queue }),
        ...(labels !== undefined && { labels }),
        ...(push !== undefined && { push: push as Json }),
        ...(policy !== undefined && { policy: policy as Policy }),
      });
      return { status: created ? 201 : 200, json: jobJson(registered, registered.worker) };
    },
    async listRoomJobs({ who, params, query }) {
      return pageAnswer(await jobs.list(who, params.room_id, query), query, jobSummaryJson);
    },
    async listJobTasks({ who, params, query }) {
      const { status: state, ...page } = query;
      await jobs.get(who, params.room_id, params.job_name);
      const found = await tasks.list(who, {
        ...page,
        ...{ room: params.room_id, job: params.job_name },
        ...(state && { state }),
      });
      return pageAnswer(found, query, taskJson);
    },
    async getJobSchema({ who, params }) {
      const { job } = await jobs.get(who, params.room_id, params.job_name);
      return { status: 200, json: job.spec.schema, type: "application/schema+json" };
    },
    async getJob({ who, params }) {
      return { status: 200, json: jobJson(await jobs.get(who, params.room_id, params.job_name), null) };
    },
    listJobs: async ({ who, query }) => pageAnswer(await jobs.list(who, null, query), query, jobSummaryJson),
    async getPushSecret({ who, params }) {
      const secret = await jobs.pushSecret(who, params.job_name);
      return json(200, { secret }, { "cache-control": "no-store" });
    },
    async listRooms({ who, query }) {
      return pageAnswer(await jobs.rooms(who, query), query, ({ room, jobs: count }) =>
        JSON.stringify({ room_id: room, job_count: count }),
      );
    },
  };
}

export function jobSummaryJson({ job, workers, pause }: JobView): string {
  const { category, name } = parseJobName(job.name);
  return JSON.stringify({ full_name: job.name, category, name, workers, pause: pauseWords(pause) });
}

function jobJson({ job, workers, pause }: JobView, worker: string | null): string {
  const { room, category, name } = parseJobName(job.name);
  const { schema, output, queue, labels, policy, push } = job.spec;
  const words = JSON.stringify({
    ...{ id: job.id, room_id: room, category, name, full_name: job.name, workers, worker_id: worker, queue },
    ...{ labels, policy },
    checksum: job.checksum,
    pause: pauseWords(pause),
    created_at: isoTime(job.createdAt),
  });
  const shown = push === null ? "null" : JSON.stringify(shownPush(push));
  return `${words.slice(0, -1)},"schema":${schema},"output":${output ?? "null"},"push":${shown}}`;
}
