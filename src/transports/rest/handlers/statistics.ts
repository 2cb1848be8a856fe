import { quantileMs } from "../../../core/histogram.ts";
import type { FailureSummary } from "../../../core/statistic-sums.ts";
import type { Counts } from "../../../core/statistics.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { FleetPulse } from "../../../engine/desks/pulse-desk.ts";
import type { JobStatistic } from "../../../engine/desks/statistic-desk.ts";
import type { statisticRoutes } from "../../../protocol/rest/statistic-routes.ts";
import { type Handlers, json } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { isoTime } from "../time.ts";

export function statisticHandlers({ statistics, pulses }: Desks): Handlers<keyof typeof statisticRoutes> {
  return {
    getPulse: async ({ who, query }) => json(200, pulseJson(await pulses.pulse(who, query))),
    async listJobStatistics({ who, query }) {
      return pageAnswer(await statistics.jobs(who, query), query, (job) => JSON.stringify(jobJson(job)));
    },
    async listFailures({ who, query }) {
      return pageAnswer(await statistics.failures(who, query), query, (each) => JSON.stringify(failureJson(each)));
    },
    async getFailure({ who, params, query }) {
      return json(200, failureJson(await statistics.failure(who, params.fingerprint, query.window)));
    },
  };
}

function countsJson({ submitted, completed, failed, cancelled, lost, wait, run }: Counts) {
  return {
    ...{ submitted, completed, failed, cancelled, lost },
    ...{ wait_p50_ms: quantileMs(wait, 0.5), wait_p95_ms: quantileMs(wait, 0.95) },
    ...{ run_p50_ms: quantileMs(run, 0.5), run_p95_ms: quantileMs(run, 0.95) },
  };
}

function pulseJson({ now, span, points, totals, waiting, fleet, reasons, alerts }: FleetPulse) {
  const { oldestReadyAt, oldestTask, ready, delayed, held, deferred } = waiting;
  const oldest = { oldest_ready_at: isoTime(oldestReadyAt), oldest_task_id: oldestTask };
  return {
    now: isoTime(now),
    window_seconds: (span.until - span.since) / 1_000,
    step_seconds: span.widthMs / 1_000,
    points: points.map((point) => ({ at: isoTime(point.at), ...countsJson(point) })),
    totals: countsJson(totals),
    waiting: { ready, delayed, held, deferred, ...oldest },
    fleet,
    reasons: reasons.map(({ cause, sentence, tasks, job }) => ({ code: cause, text: sentence, tasks, job_name: job })),
    alerts,
  };
}

function jobJson({ job, totals, trend, waiting, running, oldestReadyAt }: JobStatistic) {
  const { completed, failed } = totals;
  return {
    job_name: job,
    ...countsJson(totals),
    success_rate: completed + failed === 0 ? null : completed / (completed + failed),
    trend: trend.map((part) => ({ at: isoTime(part.at), completed: part.completed, failed: part.failed })),
    ...{ waiting, running, oldest_ready_at: isoTime(oldestReadyAt) },
  };
}

function failureJson(failure: FailureSummary) {
  const { fingerprint, job, code, error, tasks, firstAt, lastAt, trend, task } = failure;
  return {
    ...{ fingerprint, job_name: job, error_code: code, error, tasks },
    ...{ first_at: isoTime(firstAt), last_at: isoTime(lastAt), trend, sample_task_id: task },
  };
}
