// The log of a task: read page by page, and how its lines are shown.

import { clockText } from "../core/time-text.ts";
import type { LogAnswer, PageAnswer } from "./answers.ts";
import type { Asking } from "./asking-command.ts";
import type { Paint, Style } from "./paint.ts";
import { plain } from "./plain.ts";

const pageMax = 500;

/** Each line, from the first to the last that is there now. */
export async function* logLines(asking: Asking, id: string): AsyncGenerator<LogAnswer> {
  for (let offset = 0; ; offset += pageMax) {
    const path = `/tasks/${id}/logs?limit=${pageMax}&offset=${offset}`;
    const { body } = await asking.ask<PageAnswer<LogAnswer>>("GET", path);
    yield* body.items;
    if (body.items.length < pageMax) return;
  }
}

const levelStyle: Readonly<Record<string, Style>> = { debug: "dim", warn: "yellow", error: "red" };

/** An event of the handler's own is told by its name; often it has no message, or no fields. */
export function logText({ at, level, event = "", message, fields = {} }: LogAnswer, paint: Paint): string {
  const style = levelStyle[level];
  const name = level.padEnd(5);
  const facts = Object.keys(fields).length === 0 ? "" : JSON.stringify(fields);
  const words = [event, message, facts].filter((part) => part !== "").join(" ");
  return `${paint("dim", clockText(at))} ${style === undefined ? name : paint(style, name)} ${plain(words)}`;
}
