// Loads everything that children load, so that its types are stripped and kept before anything is measured.

import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Measured } from "../measure.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export async function measure(): Promise<Measured> {
  const files = [
    "bench/{store/measures,rest/measures,live/measures,compare/measures,stages}/*.ts",
    "src/sdk/index.ts",
    "src/stores/*/*-store.ts",
    "src/buses/*/*-bus.ts",
  ];
  for (const file of globSync(files, { cwd: root })) await import(new URL(`../../${file}`, import.meta.url).href);
  return {};
}
