// A reporter for `node --test` that writes one line of JSON per run with what the summary needs: counts, what was skipped,
// which files failed, and how long each took.

import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

export type Report = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  readonly files: readonly FileTime[];
  readonly failing: readonly string[];
};

export type FileTime = { readonly file: string; readonly ms: number };

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  const skipped: string[] = [];
  const files: FileTime[] = [];
  const failing = new Set<string>();
  for await (const event of events) {
    if (event.type === "test:summary" && event.data.file !== undefined) {
      files.push({ file: relative(process.cwd(), event.data.file), ms: event.data.duration_ms });
    }
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    const { skip, todo, name, file, details } = event.data;
    const note = noteOf(skip, "skipped") ?? noteOf(todo, "to do");
    if (note !== undefined) skipped.push(`${relative(process.cwd(), file ?? "")}: ${name} (${note})`);
    else if (details.type === "suite") continue;
    else if (event.type === "test:pass") passed++;
    else {
      failed++;
      failing.add(relative(process.cwd(), file ?? ""));
    }
  }
  yield `${JSON.stringify({ passed, failed, skipped, files, failing: [...failing] } satisfies Report)}\n`;
}

function noteOf(value: string | boolean | undefined, fallback: string): string | undefined {
  if (value === undefined || value === false) return undefined;
  return typeof value === "string" && value !== "" ? value : fallback;
}
