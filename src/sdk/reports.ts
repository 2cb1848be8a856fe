// What a handler says while it runs, on its way to the server. Of progress the latest is sent; lines of the log are sent
// together. One request of each kind is under way at a time, so a talkative handler costs no more than a quiet one.

import { setTimeout as pause } from "node:timers/promises";
import type { TaskPort } from "./task-voice.ts";

export interface Reports extends TaskPort {
  /** Resolves when all of it was sent, or refused. */
  flush(): Promise<void>;
}

export type ReportKind = "progress" | "logs";
export type Body = Readonly<Record<string, unknown>>;

/**
 * Sends one report, and never rejects: what the server refuses is lost, but not what comes after it. False: the task is
 * not ours any more, and nothing more need be sent.
 */
export type SendReport = (kind: ReportKind, body: Body) => Promise<boolean>;

interface Line {
  readonly level: string;
  readonly message: string;
  readonly at: string;
}

const pauseMs = 200;
const linesAtOnce = 500;
const charactersAtOnce = 500_000;
/** A handler that talks faster than the wire carries loses words, and is told so. */
const linesKept = 10_000;

export function reports(send: SendReport): Reports {
  const lines: Line[] = [];
  let dropped = 0;
  let latest: Body | null = null;
  const progress = sender(
    (body) => send("progress", body),
    () => {
      const body = latest;
      latest = null;
      return body;
    },
  );
  const logs = sender(
    (body) => send("logs", body),
    () => (lines.length === 0 ? null : { lines: batch() }),
  );

  function batch(): Line[] {
    let characters = 0;
    const count = lines.findIndex(({ message }, index) => {
      characters += message.length;
      return index > 0 && (index >= linesAtOnce || characters > charactersAtOnce);
    });
    const sent = lines.splice(0, count < 0 ? lines.length : count);
    const last = sent.at(-1);
    if (dropped > 0 && last !== undefined) {
      sent.push({ ...last, level: "warn", message: `${dropped} lines were dropped: there were too many at once` });
      dropped = 0;
    }
    return sent;
  }

  return {
    progress(current, total, message) {
      latest = { current, total, message };
      progress.wake();
    },
    log(level, message, at) {
      if (lines.length >= linesKept) dropped += 1;
      else lines.push({ level, message, at: new Date(at).toISOString() });
      logs.wake();
    },
    async flush() {
      await Promise.all([progress.flush(), logs.flush()]);
    },
  };
}

function sender(send: (body: Body) => Promise<boolean>, next: () => Body | null) {
  let sending: Promise<void> | null = null;
  let isOurs = true;
  const hurry = new AbortController();

  async function sendAll(): Promise<void> {
    // What is said in one turn leaves together.
    await Promise.resolve();
    for (let body = next(); body !== null; body = next()) {
      if (!isOurs) continue;
      isOurs = await send(body);
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
      hurry.abort();
      while (sending !== null) await sending;
    },
  };
}
