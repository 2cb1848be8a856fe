// What processes print, line by line, each with the name of who said it before it.

import type { Readable } from "node:stream";

/** `line` hears each line as it is, before it is written. */
export function prefixedLines(input: Readable, write: (line: string) => void, line: (text: string) => void): void {
  let rest = "";
  input.setEncoding("utf8");
  input.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const each of lines) tell(each);
  });
  // Also where nobody waits for its end.
  input.on("close", () => {
    if (rest !== "") tell(rest);
  });

  function tell(text: string): void {
    line(text);
    write(text);
  }
}
