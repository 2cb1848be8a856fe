// How the demo is shown: a screen on a terminal, plain lines elsewhere, nothing where only the summary is wanted.

import { durationText } from "../../server/settings/duration.ts";
import { systemClock } from "../../server/system.ts";
import { paintOn } from "../paint.ts";
import { plainLines } from "./plain-lines.ts";
import { taskRows } from "./rows.ts";
import { screenLines } from "./screen.ts";
import { terminal } from "./terminal.ts";
import { commandsToTry, openingText } from "./texts.ts";
import type { View } from "./watching.ts";

export interface Show {
  /** Whether nobody sees it but whoever is at the terminal. */
  readonly isPrivate: boolean;
  start(url: string, dashboard: string): void;
  view(view: View): void;
  /** May be called twice, and in a process that is about to end. */
  end(): void;
}

export interface ShowOptions {
  readonly isQuiet: boolean;
  /** Null is until somebody ends it. */
  readonly forMs: number | null;
  readonly data: string;
}

export function show(options: ShowOptions): Show {
  if (options.isQuiet) return { isPrivate: false, start() {}, view() {}, end() {} };
  return process.stdout.isTTY ? onTerminal(options) : inLines(options);
}

function onTerminal({ forMs, data }: ShowOptions): Show {
  const { now } = systemClock();
  const out = process.stdout;
  const screen = terminal(out);
  const [rows, paint] = [taskRows(), paintOn(out)];
  const ending = forMs === null ? "Ctrl-C ends it" : `of ${durationText(forMs, "")}`;
  let startedAt = now();
  let about = { url: "", dashboard: "", commands: [] as readonly string[] };
  screen.draw({ lines: [" Starting a server …"], whole: [] });
  return {
    isPrivate: true,
    start(url, dashboard) {
      startedAt = now();
      about = { url, dashboard, commands: commandsToTry(url, data, process.platform) };
    },
    view(view) {
      const { width, height } = screen;
      const seconds = (now() - startedAt) / 1_000;
      screen.draw(screenLines({ ...about, width, height, seconds, ending, now: now(), paint }, view, rows));
    },
    end: screen.leave,
  };
}

function inLines({ data }: ShowOptions): Show {
  const { now } = systemClock();
  const lines = plainLines();
  let startedAt = now();
  return {
    isPrivate: false,
    start(url, dashboard) {
      startedAt = now();
      console.log(openingText(url, dashboard, commandsToTry(url, data, process.platform)));
    },
    view(view) {
      for (const line of lines.of(view, now(), startedAt)) console.log(line);
    },
    end() {},
  };
}
