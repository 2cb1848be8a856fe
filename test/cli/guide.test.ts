// docs/guides/command-line.md against the commands themselves, and what commands load before they ask.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mock, test } from "node:test";
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/main.ts";
import { readSource } from "../architecture/source.ts";
import { readDocument } from "../shell-blocks.ts";

const guide = readDocument("docs/guides/command-line.md");

async function printed(...args: readonly string[]): Promise<string> {
  const log = mock.method(console, "log", () => undefined);
  try {
    assert.equal(await main(args), 0, args.join(" "));
    return log.mock.calls.map(({ arguments: words }) => words.join(" ")).join("\n");
  } finally {
    log.mock.restore();
  }
}

const names = [...(await printed("--help")).matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name as string);

test("the guide has a section with a transcript for each command, and for no other", () => {
  const sections = guide.split(/^(?=#{2,3} )/m).filter((part) => part.startsWith("### "));
  const written = sections.map((part) => /^### `leadhand ([\w-]+)`\n/.exec(part)?.[1]);
  assert.deepEqual([...written].sort(), [...names].sort());
  for (const [nth, name] of written.entries()) {
    assert.match(sections[nth] as string, new RegExp(`^\\$ leadhand ${name}\\b`, "m"));
  }
});

test("each flag that the guide shows is one that the command's help tells of", async () => {
  const shown = [...guide.matchAll(/\bleadhand ([\w-]+)\b(.*)$/gm)].filter(([, name = ""]) => names.includes(name));
  for (const name of new Set(shown.map(([, name]) => name as string))) {
    const help = name === "version" ? "" : await printed(name, "--help");
    const flags = shown.filter((each) => each[1] === name).flatMap(([, , rest = ""]) => rest.match(/--[a-z-]+/g) ?? []);
    for (const flag of flags) assert.ok(help.includes(flag), `${name} ${flag}`);
  }
});

test("each command that asks a server tells its exit codes and where it finds the server", async () => {
  for (const name of [
    "submit",
    "tasks",
    "jobs",
    "specs",
    "queues",
    "workers",
    "rooms",
    "providers",
    "logs",
    "cancel",
    "retry",
    "explain",
    "audit",
    "doctor",
    "open",
  ]) {
    const help = await printed(name, "--help");
    assert.match(
      help,
      /LEADHAND_URL[\s\S]*LEADHAND_TOKEN[\s\S]*Exit codes: 0 done, 1 the server refused or is away, 2 /,
    );
    assert.ok(
      help.split("\n").every((line) => line.length <= 82),
      `${name}: ${help}`,
    );
  }
});

test("a command that asks a server loads nothing of the server's own work, and no package", () => {
  for (const name of [
    "submit",
    "tasks",
    "jobs",
    "specs",
    "workers",
    "rooms",
    "providers",
    "logs",
    "cancel",
    "retry",
    "open",
  ]) {
    const loaded = loadedBy(fileURLToPath(new URL(`../../src/cli/commands/${name}.ts`, import.meta.url)));
    const heavy = [...loaded].filter(
      (each) => /^[^/.]/.test(each) || /\/src\/(engine|stores|buses|transports)\//.test(each),
    );
    assert.deepEqual(
      heavy.filter((each) => !each.startsWith("node:")),
      [],
      name,
    );
    assert.ok(loaded.size < 60, `${name} loads ${loaded.size} files`);
  }
});

/** Files and modules that are loaded with it, not those that it loads on use. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!existsSync(file)) return seen;
  for (const { from, typeOnly, dynamic } of importsOf(file)) {
    if (typeOnly || dynamic) continue;
    if (from.startsWith(".")) loadedBy(join(dirname(file), from), seen);
    else seen.add(from);
  }
  return seen;
}

function importsOf(file: string) {
  const text = readFileSync(file, "utf8");
  return readSource(text).imports.map((each) => ({ ...each, dynamic: text.includes(`import("${each.from}")`) }));
}
