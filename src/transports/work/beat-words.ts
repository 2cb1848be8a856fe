// What a worker says, in the words of the engine.

import { timeMax } from "../../core/checks.ts";
import type { WorkBeat, WorkRegistration } from "../../engine/desks/work-desk.ts";
import type { Registration, WorkResult, WorkStatus } from "../../protocol/work/frames.ts";
import type { ReadHeartbeat, ResultTexts } from "./read-frame.ts";

type Result = WorkBeat["results"][number];

export function registrationWords(said: Registration): WorkRegistration {
  const { name = null, hostname, os, queues = null, labels = {}, specs, concurrency = null, prefetch = 0 } = said;
  const { logs = false, cancel = false, echo = false, commands = false } = said.capabilities ?? {};
  return {
    ...{ name, hostname, os, queues, labels, concurrency, prefetch, logs, cancel, echo, commands },
    about: aboutOf(said),
    specs: specs.map(({ id, checksum = null }) => ({ id, checksum })),
    resume: resumeOf(said),
  };
}

function resumeOf({ resume }: Registration): WorkRegistration["resume"] {
  if (resume === undefined) return null;
  const { workerId, token, jobs } = resume;
  const held = jobs.map(({ jobId, attempt }) => ({ task: jobId.toLowerCase(), attempt }));
  return { worker: workerId.toLowerCase(), token, held };
}

function aboutOf({ arch, runtime, pid, version, concurrency, prefetch }: Registration): string | null {
  const about = JSON.stringify({ arch, runtime, pid, version, concurrency, prefetch });
  return about === "{}" ? null : about;
}

export function beatWords({ heartbeat, texts }: ReadHeartbeat): WorkBeat {
  const { ready, ackedAssignment = null, echo, state, status, results = [], acks = [] } = heartbeat;
  return {
    ready,
    acked: ackedAssignment,
    echo: typeof echo === "string" ? numberIn(echo) : (echo ?? null),
    draining: state === "draining",
    condition: status?.worker === undefined ? null : conditionOf(status.worker),
    progress: status?.jobs === undefined ? [] : progressOf(status.jobs),
    logs: status?.logs === undefined ? [] : logsOf(status.logs),
    alerts: status?.alerts === undefined ? [] : alertsOf(status.alerts),
    results: results.map((result, i) => resultWords(result, texts[i] as ResultTexts)),
    acks: acks.map(({ id, ok = true, detail = null }) => ({ id: id.toLowerCase(), ok, detail })),
  };
}

function numberIn(echo: string): number | null {
  return /^\d{1,15}$/.test(echo) ? Number(echo) : null;
}

/** Heartbeats carry changes alone; null takes a value back. */
function conditionOf({ cpuPercent, ramBytes, loopLagMs, blockedMs }: NonNullable<WorkStatus["worker"]>) {
  return {
    ...(cpuPercent !== undefined && { cpuPercent }),
    ...(ramBytes !== undefined && { ramBytes }),
    ...(loopLagMs !== undefined && { loopLagMs }),
    ...(blockedMs !== undefined && { blockedMs }),
  };
}

function progressOf(jobs: NonNullable<WorkStatus["jobs"]>): WorkBeat["progress"] {
  return jobs.flatMap(({ jobId, attempt, progress }) =>
    progress === undefined ? [] : [{ task: jobId.toLowerCase(), attempt, report: progress }],
  );
}

function logsOf(logs: NonNullable<WorkStatus["logs"]>): WorkBeat["logs"] {
  return logs.map(({ jobId, attempt, ts, level, message }) => ({
    ...{ task: jobId.toLowerCase(), attempt, level, message },
    at: timeOf(ts),
  }));
}

function alertsOf(alerts: NonNullable<WorkStatus["alerts"]>): WorkBeat["alerts"] {
  return alerts.map(({ ts, severity, code, message, jobId = null }) => ({
    ...{ severity, code, message, at: timeOf(ts) },
    task: jobId === null ? null : jobId.toLowerCase(),
  }));
}

function timeOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  return at >= 0 && at <= timeMax ? at : null;
}

function resultWords(result: WorkResult, texts: ResultTexts): Result {
  return { task: result.jobId.toLowerCase(), attempt: result.attempt, move: moveOf(result, texts) };
}

function moveOf({ outcome, error, delayMs }: WorkResult, texts: ResultTexts): Result["move"] {
  const { data, details, checkpoint, deferral } = texts;
  switch (outcome) {
    case "succeeded":
      return { type: "complete", result: data };
    case "failed": {
      const { message = "The worker gave no reason", code = null, retryable = true } = error ?? {};
      return { type: "fail", error: { message, code, details }, retryable };
    }
    case "released":
      return {
        ...{ type: "release", reason: "released" },
        ...(delayMs !== undefined && { delayMs }),
        ...(checkpoint !== null && { checkpoint }),
      };
    case "deferred":
      return { type: "defer", ...(deferral ?? { total: 0 }) };
  }
}
