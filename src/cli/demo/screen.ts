// The demo as a screen full of lines: what came of the tasks, the tasks themselves, the workers, and what to try.

import type { TaskAnswer, WorkerLine } from "../answers.ts";
import { grouped } from "../counted.ts";
import type { Paint, Style } from "../paint.ts";
import { textWidth } from "../text-width.ts";
import { concurrency } from "./crew.ts";
import type { Rows } from "./rows.ts";
import { cell, headRow, taskRow } from "./task-row.ts";
import type { View } from "./watching.ts";

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly url: string;
  /** A link that is never cut either. */
  readonly dashboard: string;
  /** Lines to type in another terminal. They are never cut: a longer one takes two lines. */
  readonly commands: readonly string[];
  readonly seconds: number;
  /** What will end it. */
  readonly ending: string;
  readonly now: number;
  readonly paint: Paint;
}

export interface Drawing {
  /** Cut where the terminal is too narrow for them. */
  readonly lines: readonly string[];
  /** These go on in the next line instead. */
  readonly whole: readonly string[];
}

const rowsMin = 3;

export function screenLines(screen: Screen, view: View, rows: Rows): Drawing {
  const { width, height, paint } = screen;
  const top = [title(screen), "", ...countLines(view, width, paint), "", headRow(width - 2, paint)];
  const bottom = ["", ...view.workers.map((worker) => workerLine(worker, view.tasks, screen))];
  const room = height - top.length - bottom.length;
  const shownHints = hintsFor(screen, room);
  const count = Math.max(1, room - heightOfAll(shownHints, width - 1));
  const tasks = rows.place(view.tasks, count);
  const lines = tasks.map((task) => (task === null ? "" : taskRow(task, width - 2, screen.now, paint)));
  const indented = (line: string): string => (line === "" ? "" : ` ${line}`);
  return {
    lines: [...top, ...lines, ...bottom].map(indented).slice(0, height),
    whole: shownHints.map(indented),
  };
}

/** Where there is not room for all, the tasks matter more than what to type, and the link more than most of them. */
function hintsFor({ dashboard, commands, width, paint }: Screen, room: number): readonly string[] {
  const link = ["", paint("bold", "In a browser, once and within ten minutes:"), dashboard];
  const all = [...link, paint("bold", "In a second terminal:"), ...commands.map((line) => `  ${line}`)];
  if (room - heightOfAll(all, width - 1) >= rowsMin) return all;
  return room - heightOfAll(link, width - 1) >= 1 ? link : [];
}

function heightOfAll(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + heightOf(line, width), 0);
}

function heightOf(line: string, width: number): number {
  return Math.max(1, Math.ceil(textWidth(line) / width));
}

function title({ url, seconds, ending, width, paint }: Screen): string {
  const clock = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  const right = `${clock}  ${ending}`;
  const left = `a server at ${url}`;
  const space = " ".repeat(Math.max(2, width - 2 - "leadhand".length - 2 - left.length - right.length));
  return `${paint("bold", "leadhand")}  ${left}${space}${paint("dim", right)}`;
}

/** Below this only what a task can be is counted. */
const narrow = 76;

function countLines({ counts, perSecond }: View, width: number, paint: Paint): string[] {
  const all: readonly (readonly [string, string, Style | null])[] = [
    ["submitted", grouped(counts.submitted), null],
    ["pending", grouped(counts.pending), null],
    ["running", grouped(counts.running), "cyan"],
    ["completed", grouped(counts.completed), "green"],
    ["retried", grouped(counts.retried), "yellow"],
    ["failed", grouped(counts.failed), "red"],
    ["cancelled", grouped(counts.cancelled), "yellow"],
    ["per second", perSecond.toFixed(1), null],
  ];
  const columns = width < narrow ? all.slice(1, -1) : all;
  const letters = columns.reduce((sum, [head]) => sum + head.length, 0);
  // Evenly over a wide terminal, but not so wide that the eye loses the line.
  const gap = " ".repeat(Math.max(1, Math.min(5, Math.floor((width - 2 - letters) / (columns.length - 1)))));
  const line = (textOf: (column: (typeof all)[number]) => string, styled: boolean): string =>
    columns
      .map((column) => cell(textOf(column), column[0].length, styled ? column[2] : "dim", paint))
      .join(gap)
      .trimEnd();
  return [line(([head]) => head, false), line(([, count]) => count, true)];
}

function workerLine(worker: WorkerLine, tasks: readonly TaskAnswer[], { now, paint }: Screen): string {
  const held = tasks.filter(({ status, worker_id }) => worker_id === worker.id && isHeld(status)).length;
  const hands = paint("cyan", "●".repeat(held)) + paint("dim", "○".repeat(Math.max(0, concurrency - held)));
  const beatMs = Math.max(0, now - Date.parse(worker.last_heartbeat));
  const fields = [
    cell(worker.name ?? "a worker", 8, "bold", paint),
    cell(worker.state, 11, worker.state === "ONLINE" ? "green" : "yellow", paint),
    `holds ${hands}`,
    `${paint("red", beatMs < 500 ? "♥" : " ")} last beat ${(beatMs / 1_000).toFixed(1)} s ago`,
  ];
  return fields.join("  ");
}

function isHeld(status: TaskAnswer["status"]): boolean {
  return status === "claimed" || status === "running";
}
