import { doors } from "../../core/liveness.ts";
import type { HoldingView, WorkerView } from "../../engine/desks/worker-views.ts";
import type { WorkerEvent } from "../../ports/records.ts";
import { drainWords, pauseWords } from "./control-json.ts";
import { isoTime } from "./time.ts";

export function workerSummaryJson(view: WorkerView): string {
  return JSON.stringify(shown(view, aboutOf(view)));
}

export function workerDetailWords(view: HoldingView) {
  const { queues, jobs, createdAt } = view.worker;
  const about = aboutOf(view);
  return {
    ...shown(view, about),
    ...{ queues, specs: Object.fromEntries(jobs), holds: view.holds, about, created_at: isoTime(createdAt) },
  };
}

export function workerEventJson({ at, type, data }: WorkerEvent): string {
  const read = data === null ? null : (JSON.parse(data) as { readonly code?: string });
  return JSON.stringify({ at: isoTime(at), type, code: read?.code ?? null, data: read });
}

function shown({ worker, state, condition, deaf, held, paused, pause, mayOperate }: WorkerView, about: About) {
  const { id, profile, name, hostname, os, labels, draining, session, jobs, orders } = worker;
  const { cpuPercent = null, ramBytes = null, loopLagMs = null, blockedMs = null } = condition ?? {};
  return {
    ...{ id, door: doors[profile], profile, state, name, hostname, os, labels, held, paused, draining },
    ...{ version: textOf(about["version"]), capacity: wholeOf(about["concurrency"]) },
    ...{ pause: pauseWords(pause), drain: drainWords(orders.drain) },
    concurrency_limit: orders.concurrency?.value ?? null,
    status: { cpuPercent, ramBytes, loopLagMs },
    ...{ blocked_ms: blockedMs, deaf },
    ...{ seen_at: isoTime(session.seenAt), last_heartbeat: isoTime(session.seenAt), job_count: jobs.size },
    may: { operate: mayOperate },
  };
}

type About = Readonly<Record<string, unknown>>;

function aboutOf({ worker: { about } }: WorkerView): About {
  return about === null ? {} : (JSON.parse(about) as About);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function wholeOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}
