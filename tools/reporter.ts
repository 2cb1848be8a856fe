// A reporter for `node --test` that writes one line of JSON per run with what the summary needs: counts, what was skipped,
// which tests failed and why, and how long each file took.

import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

export type Report = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  readonly files: readonly FileTime[];
  readonly failing: readonly Failure[];
};

export type Failure = {
  /** Which can be run again. */
  readonly file: string;
  /** Where the test is written: a contract that many files call is in none of them. */
  readonly writtenIn: string;
  /** With the suites it is in, for those name the store whose contract it was. */
  readonly name: string;
  readonly reason: string;
};
export type FileTime = { readonly file: string; readonly ms: number };

const reasonCharsMax = 8_000;

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  const skipped: string[] = [];
  const files: FileTime[] = [];
  const failing: Failure[] = [];
  /** The test that is told of, and the suites around it. */
  const path: string[] = [];
  for await (const event of events) {
    if (event.type === "test:start") path.splice(event.data.nesting, path.length, event.data.name);
    if (event.type === "test:summary" && event.data.file !== undefined) {
      files.push({ file: relative(process.cwd(), event.data.file), ms: event.data.duration_ms });
    }
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    const { skip, todo, name, nesting, details } = event.data;
    const { file, writtenIn } = filesOf(event.data);
    const note = noteOf(skip, "skipped") ?? noteOf(todo, "to do");
    if (note !== undefined) skipped.push(`${file}: ${name} (${note})`);
    else if (details.type === "suite") continue;
    else if (event.type === "test:pass") passed++;
    else {
      failed++;
      const names = [...path.slice(0, nesting), name].join(" > ");
      failing.push({ file, writtenIn, name: names, reason: reasonOf(event.data.details.error) });
    }
  }
  yield `${JSON.stringify({ passed, failed, skipped, files, failing } satisfies Report)}\n`;
}

/** Node tells of the entry file too, which its types do not know. */
function filesOf({ file = "", entryFile = file }: { readonly file?: string; readonly entryFile?: string }) {
  return { file: relative(process.cwd(), entryFile), writtenIn: relative(process.cwd(), file) };
}

/** A comparison of long answers or a shrunken history fills pages; its beginning tells which, and its end where. */
function reasonOf(error: Error): string {
  const text = inspect(error.cause ?? error, { depth: 2 });
  const half = reasonCharsMax / 2;
  return text.length <= reasonCharsMax ? text : `${text.slice(0, half)}\n…\n${text.slice(-half)}`;
}

function noteOf(value: string | boolean | undefined, fallback: string): string | undefined {
  if (value === undefined || value === false) return undefined;
  return typeof value === "string" && value !== "" ? value : fallback;
}
