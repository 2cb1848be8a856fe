import type { Proof } from "../../../core/lease.ts";
import { badField } from "../../../core/problem.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { HistoryLine } from "../../../engine/desks/task-desk.ts";
import type { TaskView } from "../../../engine/desks/task-views.ts";
import type { Clock } from "../../../ports/clock.ts";
import { memberText, memberTexts } from "../../../protocol/member-text.ts";
import type { taskRoutes } from "../../../protocol/rest/task-routes.ts";
import type { Handlers } from "../call.ts";
import { logJson } from "../log-json.ts";
import { pageAnswer } from "../page-json.ts";
import { waitSeconds } from "../prefer.ts";
import { claimedJson, taskDetailJson, taskJson } from "../task-json.ts";
import { isoTime } from "../time.ts";
import { deferWords, givenText } from "../told-words.ts";
import { taskStream } from "./stream.ts";
import { keyOf } from "./submits.ts";

export interface TaskHandlerOptions {
  readonly clock: Clock;
  readonly waitSecondsMax: number;
}

type Waits = Pick<Handlers, "claimTasks" | "getTask" | "streamTask">;
type Settles = Pick<
  Handlers,
  "settleTask" | "extendTask" | "releaseTask" | "deferTask" | "reportProgress" | "appendLogs"
>;

export function taskHandlers(desks: Desks, options: TaskHandlerOptions): Handlers<keyof typeof taskRoutes> {
  const { tasks, claims, submits, settles } = desks;
  return {
    ...waitingHandlers(desks, options),
    ...settleHandlers(desks, options),
    async claimTask({ who, params, body }) {
      return {
        status: 200,
        json: claimedJson(await claims.claimOne(who, params.task_id, body.worker_id.toLowerCase())),
      };
    },
    async cancelTask({ who, params }) {
      const { view, children } = await settles.cancel(who, params.task_id);
      return { status: 200, json: `{"task":${taskJson(view)},"cancelled_children":${children}}` };
    },
    async retryTask({ who, params, prefix }) {
      const view = await submits.retry(who, params.task_id);
      return { status: 202, json: taskJson(view), headers: { location: `${prefix}/tasks/${view.record.card.id}` } };
    },
    async deleteTask({ who, params }) {
      await submits.remove(who, params.task_id);
      return { status: 204 };
    },
    async listTaskEvents({ who, params, query }) {
      return pageAnswer(await tasks.events(who, params.task_id, query), query, historyJson);
    },
    async listTaskLogs({ who, params, query }) {
      return pageAnswer(await tasks.logs(who, params.task_id, query), query, (line) => logJson(line));
    },
    async listTaskChildren({ who, params, query }) {
      await tasks.record(who, params.task_id);
      return pageAnswer(await tasks.list(who, { ...query, parent: params.task_id }), query, taskJson);
    },
  };
}

function waitingHandlers({ tasks, claims }: Desks, { waitSecondsMax }: TaskHandlerOptions): Waits {
  return {
    async claimTasks({ who, headers, body, text, signal }) {
      const wait = waitSeconds(headers.prefer, waitSecondsMax);
      const key = keyOf(headers, "POST tasks/claim", text);
      const { worker_id: worker, limit, task_ids: wanted, start = false } = body;
      const ids = wanted?.map((id) => id.toLowerCase());
      const views = await claims.claim(who, {
        ...{ worker: worker.toLowerCase(), limit: limit ?? 1, ids, waitMs: 1_000 * wait, start, key },
        ...(wait > 0 && { signal: signal() }),
      });
      const all = views.map(claimedJson);
      const many = limit === undefined && ids === undefined ? "" : `,"tasks":[${all.join(",")}]`;
      const waiting = ids === undefined ? null : await claims.waiting(leftOut(ids, views));
      const left = waiting === null ? "" : `,"waiting":${JSON.stringify(waiting)}`;
      return { status: 200, json: `{"task":${all[0] ?? "null"}${many}${left}}`, ...applied(wait) };
    },
    async getTask({ who, params, headers, signal }) {
      const wait = waitSeconds(headers.prefer, waitSecondsMax);
      const detail = async (view: TaskView) => taskDetailJson(view, await tasks.rights(who, view));
      const view = await tasks.get(who, params.task_id);
      if (wait === 0 || view.record.outcome !== null) return { status: 200, json: await detail(view) };
      const later = await tasks.untilFinal(who, params.task_id, 1_000 * wait, signal());
      return { status: 200, json: await detail(later), ...applied(wait) };
    },
    async streamTask({ who, params, query, signal }) {
      await tasks.record(who, params.task_id);
      const logsFrom = query.logs === true || query.logs_from !== undefined ? (query.logs_from ?? 0) : null;
      const stream = taskStream(tasks, who, params.task_id, { signal: signal(), logsFrom });
      return { status: 200, type: "text/event-stream", stream, headers: { "cache-control": "no-store" } };
    },
  };
}

function leftOut(ids: readonly string[], views: readonly TaskView[]): readonly string[] {
  const claimed = new Set(views.map(({ record }) => record.card.id));
  return [...new Set(ids)].filter((id) => !claimed.has(id));
}

function applied(wait: number) {
  return wait === 0 ? {} : { headers: { "preference-applied": `wait=${wait}` } };
}

function settleHandlers({ settles, claims, logs }: Desks, { clock }: TaskHandlerOptions): Settles {
  return {
    async settleTask({ who, params, headers, body, text }) {
      const { status, error = null, error_code: errorCode = null, retryable = true } = body;
      const view = await settles.update(who, params.task_id, {
        ...{ status, error, errorCode, retryable },
        errorDetails: valueText(text, "error_details"),
        result: valueText(text, "result"),
        ...proofOf(headers, body),
      });
      return { status: 200, json: taskJson(view) };
    },
    async extendTask({ who, params, headers, body }) {
      const leaseMs = body.seconds === undefined ? null : Math.round(1_000 * body.seconds);
      const view = await settles.extend(who, params.task_id, { leaseMs, ...proofOf(headers, body) });
      return { status: 200, json: claimedJson(claims.shown(view)) };
    },
    async releaseTask({ who, params, headers, body, text }) {
      const view = await settles.release(who, params.task_id, {
        delayMs: Math.round(1_000 * (body.delay_seconds ?? 0)),
        reason: body.reason ?? "released",
        checkpoint: valueText(text, "checkpoint"),
        ...proofOf(headers, body),
      });
      return { status: 200, json: taskJson(view) };
    },
    async deferTask({ who, params, headers, body, text }) {
      if (body.total === undefined && body.messages === undefined) throw badField("/total", "is missing");
      const view = await settles.defer(who, params.task_id, {
        ...deferWords(body, text, []),
        ...proofOf(headers, body),
      });
      return { status: 200, json: taskJson(view) };
    },
    async reportProgress({ who, params, headers, body }) {
      const { current, increment, total, message } = body;
      const report = { current, increment, total, message, ...proofOf(headers, body) };
      await settles.progress(who, params.task_id, report);
      return { status: 204 };
    },
    async appendLogs({ who, params, headers, body, text }) {
      const now = clock.now();
      const fields = memberTexts(text, ["lines"], "fields");
      const lines = body.lines.map(({ level = "info", message, event, at }, nth) => {
        if (message === undefined && event === undefined) throw badField(`/lines/${nth}/message`, "is missing");
        return {
          ...{ level, message: message ?? "", at: at === undefined ? now : Date.parse(at) },
          ...(event !== undefined && { event, fields: "{}" }),
          ...(fields[nth] !== undefined && { fields: fields[nth] }),
        };
      });
      await logs.log(who, params.task_id, lines, proofOf(headers, body));
      return { status: 204 };
    },
  };
}

function proofOf(
  headers: { readonly "leadhand-lease"?: string },
  body: { readonly attempt?: number; readonly lease_token?: string },
): Proof {
  return { attempt: body.attempt, leaseToken: body.lease_token ?? headers["leadhand-lease"] };
}

/** The text of a member of the body; null where it is absent or says null. */
function valueText(body: string, member: string): string | null {
  return givenText(memberText(body, [member]));
}

function historyJson(line: HistoryLine): string {
  const { at, worker, data } = line;
  const words = { at: isoTime(at), attempt: line.attempt, worker_id: worker };
  const said =
    "version" in line
      ? { version: line.version, type: line.type, status: line.state, ...words }
      : { version: null, type: "task.result_refused", status: null, ...words, times: line.times };
  const named = line.name === undefined ? said : { ...said, name: line.name };
  return `${JSON.stringify(named).slice(0, -1)},"data":${data ?? "null"}}`;
}
