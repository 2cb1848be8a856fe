// Examples for the documentation. A test holds them against the schemas.

const id = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";
const worker = "01993d6c-6c00-7000-8000-0a1b2c3d4e5f";
const at = "2026-11-15T09:38:36.995Z";

export const task = {
  id,
  job_name: "@global:modifiers:Rotate",
  room_id: "lab",
  status: "pending",
  created_at: at,
  started_at: null,
  completed_at: null,
  worker_id: null,
  error: null,
  payload: { angle: 90 },
  queue_position: 1,
  queue_position_exact: true,
  waiting: null,
  queue: "default",
  priority: 0,
  run_at: null,
  labels: {},
  retry: null,
  timeout_seconds: null,
  attempt: 0,
  losses: 0,
  parent_id: null,
  retry_of: null,
  submitter: "ada",
  progress: null,
  children: null,
  result: null,
  error_code: null,
  error_details: null,
};

export const taskDetail = { ...task, may: { cancel: true, retry: true, delete: true, evict: false } };

export const claimedTask = {
  ...task,
  status: "claimed",
  worker_id: worker,
  queue_position: null,
  queue_position_exact: null,
  attempt: 1,
  lease_token: "q2R0m0oQy3g1yYxX3rjv5l9kB8yY2bYw0l3mS1rC5uE",
  lease_until: "2026-11-15T09:39:36.995Z",
  checkpoint: null,
};

export const workerCreated = { id: worker, last_heartbeat: at };

export const heartbeat = { ...workerCreated, cancel: [], commands: [] };

export const workerSummary = {
  ...{ ...workerCreated, seen_at: workerCreated.last_heartbeat, job_count: 1 },
  ...{ door: "rest", profile: "rest", state: "ONLINE", name: null, hostname: null, os: null, version: null },
  ...{ labels: {}, capacity: 4, held: 1, paused: false, draining: false, deaf: false, blocked_ms: null },
  ...{ pause: null, drain: null, concurrency_limit: null },
  status: { cpuPercent: 3, ramBytes: 71_303_168, loopLagMs: 0 },
  may: { operate: true },
};

export const job = {
  id: "01993d6c-5b00-7000-8000-1a2b3c4d5e6f",
  room_id: "@global",
  category: "modifiers",
  name: "Rotate",
  full_name: "@global:modifiers:Rotate",
  schema: { type: "object", properties: { angle: { type: "number" } }, required: ["angle"] },
  workers: [worker],
  worker_id: worker,
  output: null,
  queue: null,
  labels: { gpu: "yes" },
  policy: null,
  push: null,
  pause: null,
  checksum: "sha256:6f1c1a3e0b7f5c8f4f7f0e1d2c3b4a59687786950a1b2c3d4e5f60718293a4b5",
  created_at: at,
};

const checksum = job.checksum;

export const putSpec = {
  ...{ id: "rotate", job: "@global:specs:rotate", checksum, created: false },
  change: {
    kind: "compatible",
    differences: [{ pointer: "/schema/properties/speed", kind: "compatible", detail: "property 'speed' is new" }],
  },
};

export const newSpec = { ...putSpec, created: true, change: null };

export const specDiff = {
  ...{ id: "rotate", job: "@global:specs:rotate", checksum, registered_checksum: null, change: null },
};

export const spec = {
  ...{ id: "rotate", job: "@global:specs:rotate", checksum, source: "explicit", schema: job.schema, output: null },
  ...{ queue: null, labels: null, policy: null, push: null, created_at: at, since: at },
};

export const jobVersions = {
  ...{ job: job.full_name, checksum, since: at, runnable: true, reason: null },
  versions: [
    {
      ...{ checksum, matching: true, worker_count: 1 },
      workers: [{ id: worker, name: null, hostname: null, state: "ONLINE", profile: "rest", draining: false }],
    },
  ],
};

export const provider = {
  id: "01993d6c-7b20-7000-8000-4c5d6e7f8091",
  room_id: "lab",
  category: "files",
  name: "reader",
  full_name: "lab:files:reader",
  schema: { path: { type: "string" } },
  worker_id: worker,
  created_at: at,
};

export const jobSummary = {
  ...{ full_name: job.full_name, category: job.category, name: job.name, workers: job.workers, pause: job.pause },
};

export function page(...items: unknown[]): unknown {
  return { items, total: items.length, total_exact: true, limit: 50, offset: 0 };
}

export const taskPage = { ...(page(task) as object), next_cursor: null, scanned_through: null };

export const taskEvent = {
  version: 1,
  at,
  type: "task.submitted",
  status: "pending",
  attempt: 0,
  worker_id: null,
  data: null,
};

export const logLine = { at, attempt: 1, level: "info", message: "half way" };

export const workerDetail = {
  ...workerSummary,
  ...{ queues: null, specs: { [job.full_name]: job.checksum }, holds: [task.id], about: { concurrency: 4 } },
  created_at: at,
};

export const alert = {
  ...{ at, worker_id: worker, severity: "warning", code: "disk-almost-full", message: "3 GiB are left", task_id: null },
};

export const workerEvent = { at, type: "worker.registered", code: null, data: { by: "ada" } };

export const pause = {
  ...{ kind: "job", name: job.full_name, by: "ada", note: "it eats the disk", at, until: null },
};

export const queue = { name: "default", waiting: 12, held: 3, pause: null };

export const drainPlan = {
  ...{ id: "01993d6c-7b30-7000-8000-4c5d6e7f8091", label: "zone=a", at_a_time: 1, deadline_seconds: 120 },
  ...{ by: "ada", note: null, at, waiting: [], draining: [worker], done: [] },
};

export const act = {
  ...{ id: "01993d6c-7b32-7000-8000-4c5d6e7f8091", act: "retry", q: "state:failed error~timeout age<1h" },
  ...{ note: "the disk is back", by: "ada", state: "running", matched: 100, done: 0, skipped: 0, failed: 0 },
  ...{ skips: { forbidden: 0, over: 0, open: 0, retried: 0, gone: 0 } },
  ...{ created_at: at, finished_at: null, errors: [] },
};

export const command = {
  ...{ id: "01993d6c-7b31-7000-8000-4c5d6e7f8091", type: "concurrency", args: { value: 4 }, by: "ada", note: null, at },
  ...{ expires_at: at, delivered_at: at, acked_at: at, ok: true, detail: null },
};

export const explained = {
  ...{ task_id: id, state: "pending", cause: "worker-full" },
  sentence: "The only worker of job '@global:modifiers:Rotate' (press-1) is full",
  facts: {
    ...{ position: 1, position_exact: true, run_at: null, failures: 0, last_error: null, refusal: null },
    ...{ job: job.full_name, job_exists: true, job_pause: null, queue: "default", queue_pause: null },
    ...{ labels: {}, checksum },
    ...{
      limit: null,
      push: null,
      message: null,
      parent_id: null,
      parent_cancelled: false,
      worker_id: null,
      workers_total: 1,
    },
    workers: [
      {
        ...{ id: worker, name: "press-1", profile: "work", state: "ONLINE", hindrance: "full", held: 4, capacity: 4 },
        ...{
          draining: false,
          deaf: false,
          pause: null,
          checksum,
          labels: {},
          queues: null,
          seen_at: at,
          asked_at: null,
        },
      },
    ],
    last_seen_at: null,
  },
};

export const auditLine = {
  ...{ id: "01993d6c-7c30-7000-8000-5d6e7f809102", at, actor: "ada", token_id: "4f1d2c3b4a59", action: "task.cancel" },
  ...{ kind: "task", target: id, note: null, data: null },
};
