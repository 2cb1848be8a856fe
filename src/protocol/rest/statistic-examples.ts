// Examples for the documentation. A test holds them against the schemas.

import * as examples from "./examples.ts";

const at = examples.task.created_at;
const counts = { submitted: 120, completed: 110, failed: 6, cancelled: 1, lost: 1 };
const durations = { wait_p50_ms: 18, wait_p95_ms: 240, run_p50_ms: 1_050, run_p95_ms: 4_800 };

export const pulseExample = {
  now: at,
  window_seconds: 3_600,
  step_seconds: 60,
  points: [{ at: "2026-11-15T09:38:00.000Z", ...counts, ...durations }],
  totals: { ...counts, ...durations },
  waiting: { ready: 3, delayed: 1, held: 4, deferred: 0, oldest_ready_at: at, oldest_task_id: examples.task.id },
  fleet: { online: 4, unreachable: 0, offline: 1, paused: 1, draining: 0, deaf: 0, capacity: 16, held: 4 },
  reasons: [
    {
      code: "worker-paused",
      text: "The only worker of job '@global:modifiers:Rotate' is paused by ada",
      tasks: 3,
      job_name: examples.task.job_name,
    },
  ],
  alerts: { info: 0, warning: 1, error: 0, critical: 0 },
};

const trend = Array.from({ length: 24 }, (_, hour) => hour % 3);

export const jobStatisticExample = {
  job_name: examples.task.job_name,
  ...counts,
  success_rate: 0.948,
  ...durations,
  trend: trend.map((completed, hour) => {
    return { at: new Date(Date.UTC(2026, 10, 14, 10 + hour)).toISOString(), completed, failed: 0 };
  }),
  ...{ waiting: 4, running: 4, oldest_ready_at: at },
};

export const failureExample = {
  fingerprint: "5f9ac1f4a1f24e4a",
  job_name: examples.task.job_name,
  error_code: "ENOSPC",
  error: "Disk 7 is full: cannot write '/data/out/42.png'",
  tasks: 24,
  ...{ first_at: "2026-11-14T21:04:11.120Z", last_at: at },
  trend,
  sample_task_id: examples.task.id,
};
