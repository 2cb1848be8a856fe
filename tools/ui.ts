// Makes dist/ui from dashboard/, where it is missing or older than its sources.

import { existsSync, globSync, rmSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const made = join(root, "dist", "ui");

export async function buildUi(): Promise<void> {
  // Not asked for where there is nothing to build: it takes longer to load than to look.
  const { build } = await import("vite");
  try {
    await build({ configFile: join(root, "dashboard", "vite.config.ts"), logLevel: "warn" });
    await encodeAll();
  } catch (error) {
    // What it left behind must not pass for a fresh one.
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

/** So that the first visitor need not wait for it. */
async function encodeAll(): Promise<void> {
  const files = globSync("assets/*.{js,css}", { cwd: made }).map((file) => join(made, file));
  await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file);
      if (bytes.length < 1_024) return;
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes));
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

/** A moment of patience the first time, nothing after it. */
export async function freshUi(): Promise<void> {
  if (isStale()) await buildUi();
}

function isStale(): boolean {
  const page = join(made, "index.html");
  if (!existsSync(page)) return true;
  const since = statSync(page).mtimeMs;
  const sources = globSync(["dashboard/{src,public}/**/*.*", "dashboard/{index.html,vite.config.ts,package.json}"], {
    cwd: root,
  });
  return sources.some((file) => statSync(join(root, file)).mtimeMs > since);
}

if (import.meta.main) await freshUi();
