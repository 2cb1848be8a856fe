import { nameParts } from "../../core/name.ts";
import type { PageAnswer, PutSpecAnswer, SpecAnswer, SpecDiffAnswer } from "../answers.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { pathOf } from "../job-name.ts";
import { labelText } from "../labels.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { paintOut, printJson, printLines, printPage } from "../print.ts";
import { printSchema } from "../print-schema.ts";
import { specsOf } from "../spec-file.ts";
import { changeLines, isBreaking } from "../spec-text.ts";
import { type Cell, type Column, detailLines } from "../table.ts";
import { atText } from "../task-text.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand specs [list] [--room R] [options]",
  "       leadhand specs show SPEC [options]",
  "       leadhand specs push FILE [--dry-run] [--fail-on-breaking] [options]",
  "       leadhand specs diff FILE [--fail-on-breaking] [options]",
  "",
  "What jobs take and answer: lists what is registered, shows one, registers those",
  "of a file, all or none, or only says what that would change. SPEC is the full",
  "name of a job, or the last part of @global:specs:…. FILE is JSON (one spec {id,",
  "schema, …}, a list, or {specs: […]}), or the file that workers run, which exports",
  "jobs.",
  "",
  "  --dry-run       registers nothing, as diff",
  "  --fail-on-breaking",
  "                  exit code 3 where a change is breaking; push then registers",
  "                  nothing",
  "  --room R        of this room alone",
  ...pageUsage,
];

const columns: readonly Column[] = [
  { head: "SPEC", least: 20, keepsEnd: true },
  { head: "SOURCE" },
  { head: "CHECKSUM", spare: 1 },
  { head: "SINCE" },
];

const breakingCode = 3;

const actions: Readonly<
  Record<string, { readonly takes: string | null; run(asking: Asking, word: string): Promise<number> }>
> = {
  list: { takes: null, run: list },
  show: { takes: "SPEC", run: show },
  push: { takes: "FILE", run: push },
  diff: { takes: "FILE", run: diff },
};

export const command = askingCommand({
  name: "specs",
  summary: "list and show specs, register those of a file, or compare them",
  usage,
  flags: {
    ...{ room: { type: "string" }, "dry-run": { type: "boolean" }, "fail-on-breaking": { type: "boolean" } },
    ...pageFlags,
  },
  words: ["[ACTION]", "[WORD]"],
  exitCodes: [`${breakingCode} a change is breaking, and --fail-on-breaking was given`],
  async run(asking) {
    const [name = "list", word] = asking.words;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    const help = "`leadhand specs --help` says what it takes";
    if (action === undefined) throw new UsageError(`"${name}" is not list, show, push or diff; ${help}`);
    if (action.takes !== null && word === undefined) throw new UsageError(`${action.takes} is missing; ${help}`);
    if (action.takes === null && word !== undefined) throw new UsageError(`"${word}" is one word too many; ${help}`);
    return action.run(asking, word ?? "");
  },
});

async function list(asking: Asking): Promise<number> {
  const { body, text } = await asking.ask<PageAnswer<SpecAnswer>>("GET", `/specs${listQuery(asking, ["room"])}`);
  if (asking.json) printJson(text);
  else {
    printPage(body, "spec", columns, ({ id, source, checksum, since }): Cell[] => {
      return [id, source, checksum.slice(0, shortChecksum), atText(since, asking.now())];
    });
  }
  return 0;
}

/** Enough to tell one from another. */
const shortChecksum = "sha256:".length + 12;

async function show({ ask, json, now }: Asking, id: string): Promise<number> {
  const { body: spec, text } = await ask<SpecAnswer>("GET", specPath(id));
  if (json) {
    printJson(text);
    return 0;
  }
  const members: [string, Cell | null][] = [
    ["spec", spec.id],
    ["job", spec.job],
    ["checksum", spec.checksum],
    ["since", atText(spec.since, now())],
    ["source", spec.source],
    ["queue", spec.queue],
    ["asks for", labelText(spec.labels)],
    ["policy", spec.policy === null ? null : JSON.stringify(spec.policy)],
    ["push", spec.push === null ? null : JSON.stringify(spec.push)],
  ];
  printLines(detailLines(members, paintOut()));
  printSchema("payload", spec.schema);
  if (spec.output !== null) printSchema("result", spec.output);
  return 0;
}

async function diff(asking: Asking, file: string): Promise<number> {
  const compared = await comparedWith(asking, file);
  if (asking.json) console.log(JSON.stringify({ items: compared }));
  else printLines(compared.flatMap((each) => changeLines(each, paintOut())));
  return failsBy(asking, compared) ? breakingCode : 0;
}

async function push(asking: Asking, file: string): Promise<number> {
  const { flags, ask, json, say } = asking;
  if (flags["dry-run"] === true) return diff(asking, file);
  const specs = await specsOf(file);
  if (flags["fail-on-breaking"] === true) {
    const compared = await comparedWith(asking, file);
    if (failsBy(asking, compared)) {
      printLines(compared.filter(isBreaking).flatMap((each) => changeLines(each, paintOut())));
      say("nothing was registered");
      return breakingCode;
    }
  }
  const { body, text } = await ask<{ readonly items: readonly PutSpecAnswer[] }>("POST", "/specs", { body: { specs } });
  if (json) printJson(text);
  else printLines(body.items.flatMap((each) => changeLines(each, paintOut())));
  return 0;
}

async function comparedWith({ ask }: Asking, file: string): Promise<readonly SpecDiffAnswer[]> {
  const compared: SpecDiffAnswer[] = [];
  for (const { id, schema, output } of await specsOf(file)) {
    const body = { id, schema, ...(output !== undefined && { output }) };
    compared.push((await ask<SpecDiffAnswer>("POST", "/specs/diff", { body })).body);
  }
  return compared;
}

function failsBy({ flags }: Asking, compared: readonly SpecDiffAnswer[]): boolean {
  return flags["fail-on-breaking"] === true && compared.some(isBreaking);
}

/** The word `diff` alone is a route. */
function specPath(id: string): string {
  return `/specs/${pathOf(nameParts(id) === null ? `@global:specs:${id}` : id)}`;
}
