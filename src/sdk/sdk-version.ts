import { readFileSync } from "node:fs";

let known: string | null = null;

/** The version of this package, for whoever looks at the fleet. */
export function sdkVersion(): string {
  // The same two steps up from src/ and from dist/.
  known ??= (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string })
    .version;
  return known;
}
