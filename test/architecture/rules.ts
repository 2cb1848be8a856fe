// The rules of the house that a program can hold. `test/architecture.test.ts` puts them to the tree.

import { directionProblems } from "./directions.ts";
import { lineAt, readSource } from "./source.ts";

export type TreeFile = { readonly path: string; readonly text: string };

const linesMax = 300;
const doors = ["src/sdk/index.ts", "src/server/index.ts", "src/testing/index.ts"];

/** Every way in which the files break the rules, each a sentence that says where, what, and what to do instead. */
export function problemsOf(files: readonly TreeFile[], packages: ReadonlySet<string>): string[] {
  return files.flatMap((file) => {
    const sized = [...lengthProblems(file), ...nameProblems(file)];
    if (!file.path.startsWith("src/") || !file.path.endsWith(".ts")) return sized;
    const source = readSource(file.text);
    return [
      ...sized,
      ...directionProblems(file.path, source.imports, packages),
      ...callProblems(file.path, source.code),
      ...shapeProblems(file.path, source.code),
      ...source.imports
        .filter((each) => each.reexport && !doors.includes(file.path))
        .map(
          ({ line }) =>
            `${file.path}:${line} re-exports; import from the file that has it (doors: ${doors.join(", ")})`,
        ),
      ...(/(^|\/)index\.ts$/.test(file.path) && !doors.includes(file.path)
        ? [`${file.path} is a barrel; name the file after the one thing it exports (doors: ${doors.join(", ")})`]
        : []),
    ];
  });
}

function lengthProblems({ path, text }: TreeFile): string[] {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return lines > linesMax ? [`${path} has ${lines} lines, more than ${linesMax}; look for the second idea in it`] : [];
}

/** Words that name nothing. */
const emptyWords = /^(?:utils?|helpers?|common|managers?|services?|impl|base)$/;
/** Names from the source documents. */
const documentedNames = ["job-manager", "base-worker"];

function nameProblems({ path }: TreeFile): string[] {
  return path.split("/").flatMap((part) => {
    const stem = part.replace(/\..*$/, "");
    const word = documentedNames.includes(stem) ? undefined : stem.split("-").find((each) => emptyWords.test(each));
    return word === undefined ? [] : [`${path}: "${word}" names nothing; say what the thing is or does`];
  });
}

type Ban = { readonly pattern: RegExp; readonly only: readonly string[]; readonly instead: string };

// The SDK lives in other people's programs, so it has a system of its own.
const system = ["src/server/system.ts", "src/sdk/system.ts"];
const config = ["src/server/config.ts", "src/sdk/environment.ts"];

const bans: Readonly<Record<string, Ban>> = {
  "Date.now": { pattern: /\bDate\s*\.\s*now\b/g, only: system, instead: "take a Clock" },
  "new Date()": { pattern: /\bnew\s+Date\b(?!\s*\(\s*[^)\s])/g, only: system, instead: "take a Clock" },
  "performance.now": { pattern: /\bperformance\s*\.\s*now\b/g, only: system, instead: "take a Clock" },
  "process.hrtime": { pattern: /\bprocess\s*\.\s*hrtime\b/g, only: system, instead: "take a Clock" },
  "Math.random": { pattern: /\bMath\s*\.\s*random\b/g, only: system, instead: "take a Random" },
  randomUUID: { pattern: /\brandomUUID\b/g, only: system, instead: "take Ids" },
  "randomness of node:crypto": {
    pattern: /\b(?:randomBytes|randomInt|randomFill|randomFillSync|getRandomValues)\b/g,
    only: system,
    instead: "take a Random",
  },
  "process.env": { pattern: /\bprocess\s*(?:\.\s*env\b|\[)/g, only: config, instead: "take the parsed settings" },
};

function callProblems(path: string, code: string): string[] {
  return Object.entries(bans).flatMap(([name, { pattern, only, instead }]) =>
    only.includes(path)
      ? []
      : found(code, pattern).map(
          (line) => `${path}:${line} uses ${name}; ${instead} (only ${only.join(" and ")} have the real one)`,
        ),
  );
}

const shapes = {
  "uses any; say what it is, or unknown": /(?:[:<|&,([=]\s*|\bas\s+)any\b(?!\s*[(:?.=])|\bany\s*\[\s*\]/g,
  "has a default export; export it by its name": /\bexport\s+default\b|\bas\s+default\b/g,
} as const;

function shapeProblems(path: string, code: string): string[] {
  return Object.entries(shapes).flatMap(([says, pattern]) =>
    found(code, pattern).map((line) => `${path}:${line} ${says}`),
  );
}

function found(code: string, pattern: RegExp): number[] {
  return [...code.matchAll(pattern)].map((match) => lineAt(code, match.index));
}
