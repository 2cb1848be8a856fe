// How far something is: one line that is written over and over on a terminal, a plain line now and then elsewhere.

import { systemClock } from "../server/system.ts";

export interface LiveLine {
  /** Shows the text, unless it was shown a moment ago. */
  show(text: string): void;
  /** A terminal's line goes. */
  end(): void;
}

export interface LiveLineOptions {
  readonly out: Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">;
  /** Milliseconds, as of any beginning. */
  now(): number;
}

const redrawMs = 100;
const plainMs = 1_000;

const eraseLine = "\r\u001b[2K";

export function liveLine({ out, now }: LiveLineOptions): LiveLine {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (now() - shownAt < (out.isTTY ? redrawMs : plainMs)) return;
      shownAt = now();
      // A line longer than the terminal is wide would wrap, and could not be written over.
      out.write(out.isTTY ? `${eraseLine}${text.slice(0, Math.max(1, (out.columns || 80) - 1))}` : `${text}\n`);
    },
    end() {
      if (out.isTTY) out.write(eraseLine);
    },
  };
}

/** Beside a command's output, on standard error: for people, so only where they look on. */
export function progressLine(): LiveLine {
  if (!process.stderr.isTTY) return { show() {}, end() {} };
  return liveLine({ out: process.stderr, now: systemClock().now });
}
