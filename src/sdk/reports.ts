// What a handler says while it runs, on its way to the server. Of progress the latest is sent; lines of the log are sent
// together. One request of each kind is under way at a time, so a talkative handler costs no more than a quiet one.

import { setTimeout as pause } from "node:timers/promises";
import type { Emission } from "./emission.ts";
import { alertLine, type LogLevel, type TaskPort } from "./task-voice.ts";

export interface Reports extends TaskPort {
  /** Resolves when all of it was sent, or refused. */
  flush(): Promise<void>;
}

export interface Line {
  readonly level: LogLevel;
  /** Empty where an event says enough. */
  readonly message: string;
  readonly event?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** In milliseconds since 1970. */
  readonly at: number;
}

export interface Progress {
  readonly current: number;
  readonly total: number | null;
  readonly message: string | null;
}

export type Report =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "logs"; readonly lines: readonly Line[] };

/**
 * Sends one report, and never rejects: what the server refuses is lost, but not what comes after it. False: the task is
 * not ours any more, and nothing more need be sent.
 */
export type SendReport = (report: Report) => Promise<boolean>;

/** As the server takes it. */
export function reportBody(report: Report): object {
  if (report.kind === "progress") return report.progress;
  return {
    lines: report.lines.map(({ message, ...line }) => ({
      ...{ ...line, at: new Date(line.at).toISOString() },
      ...((message !== "" || line.event === undefined) && { message }),
    })),
  };
}

const pauseMs = 200;
const linesAtOnce = 500;
const charactersAtOnce = 500_000;
/** A handler that talks faster than the wire carries loses words, and is told so. */
const linesKept = 10_000;

export function reports(send: SendReport): Reports {
  const lines: Line[] = [];
  let dropped = 0;
  let latest: Progress | null = null;
  const progress = sender(send, () => {
    const said = latest;
    latest = null;
    return said === null ? null : { kind: "progress", progress: said };
  });
  const logs = sender(send, () => (lines.length === 0 ? null : { kind: "logs", lines: batch() }));

  function batch(): Line[] {
    let characters = 0;
    const count = lines.findIndex((line, index) => {
      characters += sizeOf(line);
      return index > 0 && (index >= linesAtOnce || characters > charactersAtOnce);
    });
    const sent = lines.splice(0, count < 0 ? lines.length : count);
    const last = sent.at(-1);
    if (dropped > 0 && last !== undefined) {
      sent.push({ at: last.at, level: "warn", message: `${dropped} lines were dropped: there were too many at once` });
      dropped = 0;
    }
    return sent;
  }

  function add(line: Line): void {
    if (lines.length >= linesKept) dropped += 1;
    else lines.push(line);
    logs.wake();
  }

  return {
    progress(current, total, message) {
      latest = { current, total, message };
      progress.wake();
    },
    log: (level, message, at) => add({ level, message, at }),
    alert: (alert, at) => add({ level: "warn", message: alertLine(alert), at }),
    emit: (said, at) => add(eventLine(said, at)),
    async flush() {
      await Promise.all([progress.flush(), logs.flush()]);
    },
  };
}

function eventLine({ level, event, message, fields }: Emission, at: number): Line {
  return { level, at, event, message: message ?? "", ...(fields !== null && { fields }) };
}

function sizeOf({ message, fields }: Line): number {
  return message.length + (fields === undefined ? 0 : JSON.stringify(fields).length);
}

function sender(send: SendReport, next: () => Report | null) {
  let sending: Promise<void> | null = null;
  let isOurs = true;
  let hurry: AbortController | null = null;

  async function sendAll(): Promise<void> {
    hurry ??= new AbortController();
    // What is said in one turn leaves together.
    await Promise.resolve();
    for (let report = next(); report !== null; report = next()) {
      if (!isOurs) continue;
      isOurs = await send(report);
      await pause(pauseMs, undefined, { signal: hurry.signal }).catch(() => {});
    }
    // In the same step as the look that found nothing: what is said from now on wakes it again.
    sending = null;
  }

  return {
    wake(): void {
      sending ??= sendAll();
    },
    async flush(): Promise<void> {
      // Most handlers say nothing, and an abort costs more than all the rest of it.
      hurry?.abort();
      while (sending !== null) await sending;
    },
  };
}
