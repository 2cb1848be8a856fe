// Waiting for the end of a task: in silence (`--wait`), or telling what happens meanwhile (`--follow`). The result goes to
// standard output alone, so that it can be captured; everything else beside it.

import { isFinal, type TaskAnswer } from "./answers.ts";
import { type Asking, Interruption } from "./asking-command.ts";
import { liveLine } from "./live-line.ts";
import { paintOn } from "./paint.ts";
import { patiently } from "./patience.ts";
import { plain } from "./plain.ts";
import { printJson } from "./print.ts";
import { progressText } from "./progress-bar.ts";
import { logText } from "./task-logs.ts";
import { taskStory } from "./task-stream.ts";
import { errorText, statusStyle, tookText } from "./task-text.ts";

export const endFlags = { wait: { type: "boolean" }, follow: { type: "boolean", short: "f" } } as const;

export const endUsage = [
  "  --wait          wait for the end and print the result alone",
  "  -f, --follow    the same, and tell meanwhile what happens: states, progress and",
  "                  log, on standard error; with --json each as a line",
];

export const endCodes = ["3 the task failed", "4 it was cancelled"];

/** Answers the exit code. */
export async function taskEnd(asking: Asking, id: string): Promise<number> {
  try {
    const end = asking.flags["follow"] === true ? await followed(asking, id) : await awaited(asking, id);
    if (asking.flags["follow"] !== true && asking.json) printJson(end.text);
    if (!asking.json) tell(asking, end.task);
    return exitCodeOf(end.task);
  } catch (error) {
    if (error instanceof Interruption) {
      asking.say(`task ${id} goes on; \`leadhand logs -f ${id}\` follows it, \`leadhand cancel ${id}\` ends it`);
    }
    throw error;
  }
}

export function exitCodeOf({ status }: TaskAnswer): number {
  return { failed: 3, cancelled: 4 }[status as string] ?? 0;
}

interface End {
  readonly task: TaskAnswer;
  readonly text: string;
}

/** Each time as long as a server grants. */
const waitSeconds = 30;

async function awaited(asking: Asking, id: string): Promise<End> {
  const asked = { headers: { prefer: `wait=${waitSeconds}` }, waitMs: waitSeconds * 1_000 };
  for (;;) {
    const { body, text } = await patiently(asking, () => asking.ask<TaskAnswer>("GET", `/tasks/${id}`, asked));
    if (isFinal(body)) return { task: body, text };
  }
}

async function followed(asking: Asking, id: string): Promise<End> {
  const { json, now } = asking;
  const paint = paintOn(process.stderr);
  const line = process.stderr.isTTY ? liveLine({ out: process.stderr, now }) : null;
  let last: End | null = null;
  const write = (text: string): void => {
    line?.end();
    console.error(text);
  };
  try {
    for await (const story of taskStory(asking, id)) {
      if (json) printJson("line" in story ? `{"log":${JSON.stringify(story.line)}}` : `{"task":${story.news.text}}`);
      else if ("line" in story) write(logText(story.line, paint));
      else {
        const { task } = story.news;
        if (task.status !== last?.task.status && !isFinal(task))
          write(`${paint(statusStyle[task.status], task.status)}${whereText(task)}`);
        if (task.progress !== null && task.status === "running") showProgress(task.progress, line, write);
      }
      if ("news" in story) last = story.news;
    }
  } finally {
    line?.end();
  }
  if (last === null) throw new Error("The server ended the stream before it had told anything");
  return last;
}

function showProgress(
  progress: NonNullable<TaskAnswer["progress"]>,
  line: ReturnType<typeof liveLine> | null,
  write: (text: string) => void,
): void {
  if (line === null) write(progressText(progress));
  else line.show(progressText(progress));
}

function whereText({ status, worker_id, attempt, queue_position }: TaskAnswer): string {
  if (status === "pending") return queue_position === null ? "" : `, number ${queue_position} in line`;
  if (status !== "running") return "";
  return `, attempt ${attempt}${worker_id === null ? "" : ` on worker ${worker_id}`}`;
}

function tell({ say, now }: Asking, task: TaskAnswer): void {
  const took = tookText(task, now());
  const after = took === null ? "" : ` after ${took}`;
  if (task.status === "completed") {
    say(`completed${after}`);
    console.log(JSON.stringify(task.result, null, 2));
  } else if (task.status === "failed") {
    say(`task ${task.id} failed${after}, attempt ${task.attempt}: ${plain(errorText(task))}`);
    if (task.error_details !== null) console.error(`  ${plain(JSON.stringify(task.error_details))}`);
  } else say(`task ${task.id} was cancelled${after}`);
}
