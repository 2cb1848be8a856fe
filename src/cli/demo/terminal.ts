// A terminal as a screen that is drawn over and over. It has a screen of its own for that, and gets its old one back,
// however the process ends.

import type { Drawing } from "./screen.ts";

export interface Terminal {
  readonly width: number;
  readonly height: number;
  draw(drawing: Drawing): void;
  /** May be called twice. */
  leave(): void;
}

type Out = Pick<NodeJS.WriteStream, "columns" | "rows" | "write">;

const enter = "\u001b[?1049h\u001b[?25l";
const restore = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const cutLines = "\u001b[?7l";
const wrapLines = "\u001b[?7h";
const home = "\u001b[H";
const wipe = "\u001b[2J";
const restOfLine = "\u001b[K";
const restOfScreen = "\u001b[J";

export function terminal(out: Out): Terminal {
  let size = "";
  let left = false;

  function leave(): void {
    process.off("exit", leave);
    if (left) return;
    left = true;
    out.write(restore);
  }

  out.write(enter);
  process.on("exit", leave);
  return {
    get width() {
      return out.columns || 80;
    },
    get height() {
      return out.rows || 24;
    },
    draw({ lines, whole }) {
      if (left) return;
      const before = size;
      size = `${out.columns}x${out.rows}`;
      const text = (some: readonly string[]): string => some.map((line) => `${line}${restOfLine}`).join("\r\n");
      const more = whole.length === 0 ? "" : `\r\n${wrapLines}${text(whole)}`;
      // One write, so that nobody sees half of it.
      out.write(`${size === before ? "" : wipe}${home}${cutLines}${text(lines)}${more}${restOfScreen}`);
    },
    leave,
  };
}
