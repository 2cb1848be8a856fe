import { readFile } from "node:fs/promises";

/** The version of Leadhand, as its package says. */
export async function readVersion(): Promise<string> {
  // The same two steps up from src/ and from dist/.
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(await readFile(file, "utf8")) as { version: string };
  return version;
}
