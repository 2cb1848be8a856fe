// The log of a task: read page by page, and for as long as the task is open, again and again.

import { setTimeout as pause } from "node:timers/promises";
import type { LogAnswer, PageAnswer } from "./answers.ts";
import type { Asking } from "./asking-command.ts";
import type { Paint, Style } from "./paint.ts";
import { patiently } from "./patience.ts";
import { plain } from "./plain.ts";
import { type TaskNews, taskStream } from "./task-stream.ts";
import { clockText } from "./time-text.ts";

const pageMax = 500;

/** Each line once, from the first to the last that is there now; asked again, those that came since. */
export function logReader(asking: Asking, id: string): () => AsyncGenerator<LogAnswer> {
  let offset = 0;
  return async function* more() {
    for (;;) {
      const path = `/tasks/${id}/logs?limit=${pageMax}&offset=${offset}`;
      const { body } = await asking.ask<PageAnswer<LogAnswer>>("GET", path);
      offset += body.items.length;
      yield* body.items;
      if (body.items.length < pageMax) return;
    }
  };
}

export type Story = { readonly news: TaskNews } | { readonly line: LogAnswer };

/** The server tells when a task moves, but not when its log grows. */
const lookEveryMs = 1_000;

/** Lines and moves as they come, until the task is final; lines before the move that follows them. */
export async function* taskStory(asking: Asking, id: string): AsyncGenerator<Story> {
  // That nobody answers is told once, by the stream.
  const quiet = { ...asking, say: () => undefined };
  const patient: Asking = { ...asking, ask: (...words) => patiently(quiet, () => asking.ask(...words)) };
  const more = logReader(patient, id);
  const moves = taskStream(asking, id);
  try {
    let next = moves.next();
    for (;;) {
      const came = await orPause(next, asking.signal);
      for await (const line of more()) yield { line };
      if (came === null) continue;
      if (came.done === true) return;
      yield { news: came.value };
      next = moves.next();
    }
  } finally {
    await moves.return(undefined);
  }
}

/** Null when nothing came for a while. */
async function orPause<T>(coming: Promise<T>, signal: AbortSignal): Promise<T | null> {
  // A pause that nobody waits for any more would keep the program from ending.
  const enough = new AbortController();
  try {
    return await Promise.race([
      coming,
      pause(lookEveryMs, null, { signal: AbortSignal.any([signal, enough.signal]) }).catch(() => null),
    ]);
  } finally {
    enough.abort();
    signal.throwIfAborted();
  }
}

const levelStyle: Readonly<Record<string, Style>> = { debug: "dim", warn: "yellow", error: "red" };

export function logText({ at, level, message }: LogAnswer, paint: Paint): string {
  const style = levelStyle[level];
  const name = level.padEnd(5);
  return `${paint("dim", clockText(at))} ${style === undefined ? name : paint(style, name)} ${plain(message)}`;
}
