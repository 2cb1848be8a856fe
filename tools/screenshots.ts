// `npm run screenshots`: the pictures of the dashboard, taken by its tests. Those that the documents show go to
// docs/screenshots; `-- FOLDER` keeps every one there instead, and test files that are named after it are the only ones
// that run.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { withPalette } from "./png-palette.ts";
import { runCommand } from "./run-command.ts";

const shownFolder = "docs/screenshots";
/** Every page in every look; no empty ones, and not the API's. */
const kept = /^(?!docs-|.*-empty-).*\.png$/;

const [folder, ...only] = process.argv.slice(2);
process.exitCode = folder === undefined ? await takeForDocuments() : await take(resolve(folder), only);

async function take(into: string, files: readonly string[]): Promise<number> {
  await mkdir(into, { recursive: true });
  const which = files.length > 0 ? files : ["test/ui/looks"];
  return runCommand([process.execPath, "tools/test.ts", ...which], { LEADHAND_TEST_SCREENSHOTS: into });
}

async function takeForDocuments(): Promise<number> {
  const all = await mkdtemp(join(tmpdir(), "leadhand-screenshots-"));
  try {
    const code = await take(all, []);
    if (code !== 0) return code;
    // What is not taken any more is not shown any more.
    await rm(shownFolder, { recursive: true, force: true });
    await mkdir(shownFolder, { recursive: true });
    const shown = (await readdir(all)).filter((name) => kept.test(name));
    for (const name of shown) await writeFile(join(shownFolder, name), withPalette(await readFile(join(all, name))));
    return 0;
  } finally {
    await rm(all, { recursive: true, force: true });
  }
}
