import type { Alert } from "../../../core/alert.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { WorkerEvent } from "../../../ports/records.ts";
import type { alertRoutes } from "../../../protocol/rest/alert-routes.ts";
import { type Handlers, json } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { isoTime } from "../time.ts";

export function alertHandlers({ alerts }: Desks): Handlers<keyof typeof alertRoutes> {
  return {
    async raiseAlert({ who, params, body }) {
      const { severity, code, message, task_id: task, at } = body;
      const alert = { severity, code, message, task: task?.toLowerCase() ?? null, at: timeOf(at) ?? null };
      return json(200, { kept: await alerts.raise(who, params.worker_id, alert) });
    },
    async listAlerts({ who, query }) {
      const { severity, worker_id: worker, since: from, limit, offset } = query;
      const since = timeOf(from);
      const filter = {
        ...(severity && { severity }),
        ...(worker && { worker: worker.toLowerCase() }),
        ...(since !== undefined && { since }),
      };
      return pageAnswer(await alerts.list(who, { ...filter, limit, offset }), query, alertJson);
    },
  };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function alertJson({ worker, at, data }: WorkerEvent): string {
  const { severity, code, message, task } = JSON.parse(data ?? "{}") as Alert;
  return JSON.stringify({ at: isoTime(at), worker_id: worker, severity, code, message, task_id: task });
}
