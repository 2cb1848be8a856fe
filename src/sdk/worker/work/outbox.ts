// What a worker has to say, until it leaves with a heartbeat. Results and alerts are for the next one; of progress the
// latest is kept, and lines of logs are collected until there are many of them or it is time for a heartbeat anyway.

import type { Progress } from "../../reports.ts";
import { elapsedMs } from "../../system.ts";
import type { TaskPort } from "../../task-voice.ts";
import { resultText } from "./heartbeat-text.ts";
import type { HeldTask } from "./held-task.ts";
import { logLines } from "./log-lines.ts";
import { alertsMax, bytesOf, entriesMax, frameBytesMax, resultsMax } from "./words.ts";

/** JSON texts, and whether there are no more. */
export interface Load {
  readonly alerts: readonly string[];
  readonly jobs: readonly string[];
  readonly logs: readonly string[];
  readonly results: readonly string[];
  readonly isLast: boolean;
}

export interface Outbox {
  portOf(held: HeldTask): TaskPort;
  result(held: HeldTask): void;
  /** As much as fits into one frame. What a handler said leaves before its result, or with it. */
  load(): Load;
  /** Results whose answer has not come: all of them, for a new connection, or those that were told so long ago. */
  again(ended: Iterable<HeldTask>, toldMs?: number): void;
}

/** A heartbeat leaves early for so much. */
const earlyEntries = 200;
const earlyBytes = 65_536;

export interface OutboxParts {
  /** Something has to be said with the next heartbeat. */
  soon(): void;
  /** There is enough for a heartbeat of its own. */
  now(): void;
  readonly concurrency: number;
}

/** Fewer results are not worth a frame of their own. */
const earlyResultsMin = 25;

export function outbox({ soon, now, concurrency }: OutboxParts): Outbox {
  // Where many end in one turn, half of them leave while the others are still at work: otherwise the server and the
  // worker would wait for each other.
  const earlyResults = Math.max(earlyResultsMin, Math.ceil(concurrency / 2));
  let progress = new Map<HeldTask, Progress>();
  let results: HeldTask[] = [];
  const lines = logLines();
  let alerts: string[] = [];

  function noted(): void {
    if (lines.count() + progress.size >= earlyEntries || lines.bytes() >= earlyBytes) soon();
  }

  function takeProgress(room: number): readonly string[] {
    const taken: string[] = [];
    let free = room;
    for (const [held, said] of progress) {
      if (taken.length === entriesMax || free < 0) break;
      const { id: jobId, attempt } = held.job;
      const text = JSON.stringify({ jobId, attempt, state: "running", progress: said });
      free -= bytesOf(text);
      taken.push(text);
      progress.delete(held);
    }
    // See `core/passage.ts` for what becomes of a Map that thousands pass through.
    if (taken.length > 0 && progress.size === 0) progress = new Map();
    return taken;
  }

  function takeResults(room: number): readonly string[] {
    const taken: string[] = [];
    const now = elapsedMs();
    let free = room;
    for (const held of results) {
      const text = resultText(held);
      free -= bytesOf(text);
      if (taken.length === resultsMax || (taken.length > 0 && free < 0)) break;
      taken.push(text);
      held.isToBeTold = false;
      held.toldAt = now;
    }
    results = taken.length === results.length ? [] : results.slice(taken.length);
    return taken;
  }

  function tell(held: HeldTask): void {
    if (held.isToBeTold) return;
    held.isToBeTold = true;
    results.push(held);
  }

  return {
    portOf: (held) => ({
      progress(current, total, message) {
        progress.set(held, { current, total, message });
        noted();
      },
      defer(deferral) {
        held.deferral = deferral;
      },
      log(level, message, at) {
        lines.add(held, level, message, at);
        noted();
      },
      alert(alert, at) {
        // More than a frame holds, before one could leave, is noise.
        if (alerts.length >= alertsMax) return;
        alerts.push(JSON.stringify({ ts: new Date(at).toISOString(), ...alert, jobId: held.job.id }));
        soon();
      },
    }),
    result(held) {
      tell(held);
      if (results.length >= earlyResults) now();
      else soon();
    },
    load() {
      const said = { alerts, jobs: takeProgress(frameBytesMax / 3) };
      alerts = [];
      let room = frameBytesMax - bytesIn(said.alerts) - bytesIn(said.jobs);
      const logs = lines.count() === 0 ? [] : lines.take(room);
      room -= bytesIn(logs);
      const taken = lines.count() > 0 ? [] : takeResults(room);
      return { ...said, logs, results: taken, isLast: lines.count() + results.length + progress.size === 0 };
    },
    again(ended, toldMs = 0) {
      const toldBy = elapsedMs() - toldMs;
      for (const held of ended) if (held.outcome !== null && held.toldAt <= toldBy) tell(held);
      if (results.length > 0) soon();
    },
  };
}

function bytesIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + bytesOf(text), 0);
}
