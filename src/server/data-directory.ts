import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { settings } from "./settings/settings.ts";

/** Makes the folder if there is none. It will hold secrets, so it is its owner's alone. */
export async function makeDataDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const variable = settings.data.variables[0];
    throw new Error(`The data directory ${resolve(path)} (${variable}) cannot be made: ${why}`, { cause });
  }
}
