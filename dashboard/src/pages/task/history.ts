// A task's history in words: every kind of event, grouped by the attempt it belongs to.

import type { Item } from "../../api/routes.ts";
import { duration, plural } from "../../parts/text.ts";
import type { Tone } from "../../parts/tone.ts";

export type TaskEvent = Item<"GET /tasks/{task_id}/events">;
export type EventData = Readonly<Record<string, unknown>>;

export interface Step {
  readonly key: string;
  readonly at: string;
  readonly tone: Tone;
  readonly title: string;
  readonly detail: string | null;
  readonly worker: string | null;
  /** Since the step before; null for the first. */
  readonly gapMs: number | null;
  /** How many events it stands for. */
  readonly times: number;
}

export interface Chapter {
  /** 0: before the first attempt. */
  readonly attempt: number;
  readonly steps: readonly Step[];
}

interface Words {
  readonly tone: Tone;
  readonly title: string;
  readonly detail?: string | null;
}

export function dataOf(event: TaskEvent): EventData {
  return typeof event.data === "object" && event.data !== null ? (event.data as EventData) : {};
}

export function chaptersOf(events: readonly TaskEvent[]): readonly Chapter[] {
  const chapters: { attempt: number; steps: Step[] }[] = [];
  let before: TaskEvent | null = null;
  for (const event of merged(inOrder(events))) {
    const attempt = event.attempt ?? chapters.at(-1)?.attempt ?? 0;
    if (chapters.at(-1)?.attempt !== attempt) chapters.push({ attempt, steps: [] });
    chapters.at(-1)?.steps.push(stepOf(event, before));
    before = event;
  }
  return chapters;
}

/** Refusals are no moves and are listed after them; in a story they stand where they happened. */
function inOrder(events: readonly TaskEvent[]): readonly TaskEvent[] {
  const ordered = events.filter(({ version }) => version !== null);
  for (const refusal of events.filter(({ version }) => version === null)) {
    const later = ordered.findIndex(({ at }) => at > refusal.at);
    ordered.splice(later === -1 ? ordered.length : later, 0, refusal);
  }
  return ordered;
}

/** What comes again and again is told once, as it was last. */
function merged(events: readonly TaskEvent[]): readonly TaskEvent[] {
  const kept: TaskEvent[] = [];
  for (const event of events) {
    const last = kept.at(-1);
    const repeats = event.type === "task.progressed" || event.type === "task.counted";
    if (repeats && last?.type === event.type && last.attempt === event.attempt && last.status === event.status) {
      kept[kept.length - 1] = { ...event, times: (last.times ?? 1) + 1 };
    } else kept.push(event);
  }
  return kept;
}

function stepOf(event: TaskEvent, before: TaskEvent | null): Step {
  const { title, tone, detail = null } = wordsOf(event);
  const gapMs = before === null ? null : Math.max(0, Date.parse(event.at) - Date.parse(before.at));
  const key = event.version === null ? `late-${event.at}-${event.attempt}` : String(event.version);
  return { key, at: event.at, tone, title, detail, worker: event.worker_id, gapMs, times: event.times ?? 1 };
}

function wordsOf(event: TaskEvent): Words {
  const data = dataOf(event);
  const error = saidIn(data, "error");
  switch (event.type) {
    case "task.submitted":
      return { tone: "pending", title: "Submitted" };
    case "task.claimed":
      return { tone: "claimed", title: "Claimed" };
    case "task.assigned":
      return { tone: "running", title: "Assigned and started" };
    case "task.started":
      return { tone: "running", title: "Started" };
    case "task.progressed":
      return { tone: "running", title: "Progress", detail: progressText(data) };
    case "task.completed":
      return { tone: "completed", title: "Completed", detail: error };
    case "task.failed":
      return { tone: "failed", title: titled("Failed", data), detail: error };
    case "task.retried":
      return { tone: "warning", title: titled("Failed, to be tried again", data), detail: laterText(event, error) };
    case "task.timed_out":
      return { tone: "failed", title: titled("Timed out", data), detail: error };
    case "task.cancelled":
      return { tone: "cancelled", title: cancelText(data), detail: error };
    default:
      return restOf(event, data);
  }
}

function restOf(event: TaskEvent, data: EventData): Words {
  const reason = saidIn(data, "reason");
  switch (event.type) {
    case "task.released":
      return { tone: "pending", title: "Given back", detail: laterText(event, releases[reason ?? ""] ?? reason) };
    case "task.lost":
      return {
        tone: event.status === "failed" ? "failed" : "warning",
        title: event.status === "failed" ? "Lost, and given up" : "Lost, waits again",
        detail: [losses[reason ?? ""] ?? reason, requeueText(event, data)].filter(Boolean).join(" · ") || null,
      };
    case "task.deferred":
      return { tone: "running", title: "Left to its children", detail: childrenText(data) };
    case "task.counted":
      return { tone: countTone(event.status), title: "Children counted", detail: childrenText(data) };
    case "task.republished":
      return { tone: "pending", title: "Told to the message broker again" };
    case "task.result_refused":
      return {
        tone: "warning",
        title: "A word that came too late was refused",
        detail: [moves[saidIn(data, "move") ?? ""] ?? saidIn(data, "move"), refusals[saidIn(data, "code") ?? ""]]
          .filter(Boolean)
          .join(": "),
      };
    default:
      return {
        tone: "pending",
        title: event.name ?? event.type,
        detail: Object.keys(data).length > 0 ? JSON.stringify(data) : null,
      };
  }
}

const losses: Readonly<Record<string, string>> = {
  session: "Its worker went silent",
  lease: "Its lease ran out and was not prolonged",
  removed: "Its worker was removed",
};

function requeueText({ status }: TaskEvent, { priorRequeues, maxRequeues }: EventData): string | null {
  if (typeof priorRequeues !== "number" || typeof maxRequeues !== "number") return null;
  return status === "failed"
    ? `after ${plural(priorRequeues, "requeue")}`
    : `requeue ${priorRequeues + 1} of ${maxRequeues}`;
}

const releases: Readonly<Record<string, string>> = {
  not_started: "Its worker went before it had started",
  not_held: "Its worker no longer had it",
  evicted: "An operator took it from its worker",
  drain: "Its worker was drained",
  released: "Its worker let it go",
};

const moves: Readonly<Record<string, string>> = {
  complete: "It was completed",
  fail: "It failed",
  release: "It was given back",
  defer: "It was left to its children",
  progress: "It made progress",
};

const refusals: Readonly<Record<string, string>> = {
  "lease-lost": "the lease had been lost by then",
  "invalid-task-transition": "the task had gone on by then",
};

function titled(title: string, data: EventData): string {
  const code = saidIn(data, "code");
  return code === null ? title : `${title} (${code})`;
}

function cancelText(data: EventData): string {
  const reason = saidIn(data, "reason");
  const actor = saidIn(data, "actor");
  if (reason === "parent_cancelled") return "Cancelled with its parent";
  return ["Cancelled", actor !== null && `by ${actor}`, reason !== null && `(${reason})`].filter(Boolean).join(" ");
}

function laterText(event: TaskEvent, text: string | null): string | null {
  const runAt = timeIn(dataOf(event), "runAt");
  const later = runAt === null ? null : `It waits for at least ${duration(Math.max(0, runAt - Date.parse(event.at)))}`;
  return [text, later].filter(Boolean).join("\n") || null;
}

export function progressText(data: EventData): string {
  const { current, total, message } = data;
  const figures = typeof total === "number" ? `${current} of ${total}` : String(current ?? "");
  return [figures, message].filter(Boolean).join(" · ");
}

function childrenText({ total, done, failed }: EventData): string {
  const ended = `${Number(done ?? 0)} done${Number(failed ?? 0) > 0 ? `, ${failed} failed` : ""}`;
  return typeof total === "number" ? `${ended}, of ${plural(total, "child", "children")}` : ended;
}

function countTone(status: string | null): Tone {
  return status === "failed" || status === "completed" ? status : "running";
}

export function saidIn(data: EventData, key: string): string | null {
  const value = data[key];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Milliseconds since 1970, however it was written. */
export function timeIn(data: EventData, key: string): number | null {
  const value = data[key];
  if (typeof value === "number") return value;
  return typeof value === "string" ? Date.parse(value) : null;
}
