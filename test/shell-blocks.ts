// The commands that a document tells its readers to type: its fenced blocks that are marked `sh`.

import { readFileSync } from "node:fs";

export function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => (match[1] ?? "").trim());
}

/** `path` is from the top of the clone. */
export function readDocument(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8").replaceAll("\r\n", "\n");
}
