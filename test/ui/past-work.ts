// What comes in, minute by minute, and how it ends: the same every time, and as uneven as work is.

import { pastJobs } from "./past-fleet.ts";

type Submission = { readonly job: string; readonly payload: object };

/** By the room that they are submitted to. */
export function submissionsOf(minute: number): Readonly<Record<string, readonly Submission[]>> {
  const tide = 1 + Math.sin(minute / 9) * 0.6;
  const byRoom: Record<string, Submission[]> = {};
  for (const [nth, { room, category, name }] of pastJobs.entries()) {
    const number = Math.max(1, Math.round(tide * (1 + ((minute * (nth + 3)) % 4))));
    const into = room === "@global" ? "newsroom" : room;
    const tasks = Array.from({ length: number }, (_, each) => ({
      job: `${room}:${category}:${name}`,
      payload: payloadOf(name, minute, each),
    }));
    byRoom[into] = [...(byRoom[into] ?? []), ...tasks];
  }
  return byRoom;
}

function payloadOf(name: string, minute: number, nth: number): object {
  if (name === "SendMail") return { to: `reader-${minute}${nth}@example.org`, template: "weekly" };
  if (name === "Summarise") return { article: 4_100 + minute, words: 120 };
  if (name === "PickCover") return { issue: `2026-${1 + (minute % 12)}`, candidates: 12 };
  return { folio: `MS-0${400 + minute}`, page: nth + 1 };
}

/** Most end well; the rest each in the way of its job, in words that differ from task to task. */
export function endOf(job: string, minute: number, nth: number): object {
  const draw = (minute * 13 + nth * 29) % 97;
  const done = { status: "completed", result: { ok: true, bytes: 18_000 + draw * 411 } };
  // The model is worse than it was.
  if (draw > (job.endsWith(":Summarise") && minute > 45 ? 30 : 5)) return done;
  const name = job.slice(job.lastIndexOf(":") + 1);
  const failure = failures(minute, nth)[name];
  if (failure === undefined) return done;
  const [error, code] = failure;
  return { status: "failed", error, error_code: code, retryable: false };
}

function failures(minute: number, nth: number): Readonly<Record<string, readonly [string, string | null]>> {
  return {
    SendMail: [`451 4.2.2 mailbox of reader-${minute}${nth}@example.org is busy, try again later`, "mailbox-busy"],
    Resize: [`ENOSPC: no space left on device, write '/srv/scans/MS-0${400 + minute}/${nth + 1}.tif'`, "ENOSPC"],
    Transcribe: ["TypeError: Cannot read properties of undefined (reading 'lines')", null],
    Summarise: [`The model answered 503 after ${1_200 + minute * 7} ms`, "model-unavailable"],
  };
}
