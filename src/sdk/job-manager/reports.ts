// Progress and log lines of one task, on their way while it runs. Both are a kindness: what cannot be sent is dropped,
// and the task goes on.

import { format } from "node:util";
import type { TaskLog } from "../job.ts";
import { plainText } from "../plain-text.ts";
import { now } from "../system.ts";
import type { Ask } from "./host-api.ts";
import type { ManagerLog } from "./life.ts";

export interface Reports {
  readonly progress: (current: number, total?: number, message?: string) => void;
  readonly log: TaskLog;
  /** Resolves when what was said before is sent or dropped. */
  flush(): Promise<void>;
}

const linesMax = 1_000;
const lineMax = 65_536;
const messageMax = 4_096;

type Line = { readonly level: keyof TaskLog; readonly message: string; readonly at: string };
type Progress = { readonly current: number; readonly total: number | null; readonly message: string | null };

export function reports(ask: Ask, taskId: string, leaseToken: string, log: ManagerLog): Reports {
  let progress: Progress | undefined;
  let lines: Line[] = [];
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    // What is said in one turn leaves together.
    await Promise.resolve();
    while (progress !== undefined || lines.length > 0) {
      const [report, batch] = [progress, lines];
      [progress, lines] = [undefined, []];
      if (report !== undefined) await post("progress", report);
      if (batch.length > 0) await post("logs", { lines: batch });
    }
    sending = undefined;
  }

  async function post(what: string, body: object): Promise<void> {
    try {
      await ask("POST", `/tasks/${taskId}/${what}`, { body: { ...body, lease_token: leaseToken } });
    } catch (error) {
      log.warn(`The ${what} of task ${taskId} could not be sent`, error);
    }
  }

  function say(level: keyof TaskLog) {
    return (...words: readonly unknown[]): void => {
      if (lines.length === linesMax) return;
      const message = plainText(format(...words), lineMax);
      lines.push({ level, message, at: new Date(now()).toISOString() });
      sending ??= send();
    };
  }

  return {
    progress(current, total, message) {
      progress = {
        current: whole(current),
        total: total === undefined ? null : whole(total),
        message: message === undefined ? null : plainText(message, messageMax),
      };
      sending ??= send();
    },
    log: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    flush: async () => sending,
  };
}

/** Progress is counted in whole steps. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.floor(count)), Number.MAX_SAFE_INTEGER) : 0;
}
