// Commands that work with the server's settings: each setting is a flag of theirs. The command line and the settings are
// checked before anything happens; what is wrong with them is exit code 2, whatever fails afterwards is exit code 1.

import { parseArgs } from "node:util";
import { ConfigError, processConfig, type ReadConfig } from "../server/config.ts";
import { flagOptions } from "../server/settings/settings.ts";
import type { Command } from "./command.ts";
import { faultText, isBug } from "./fault-text.ts";

export interface ConfiguredCommand {
  readonly name: string;
  readonly summary: string;
  /** What `--help` prints. */
  readonly usage: string;
  /** Flags beside the settings and `--help`. */
  readonly flags?: Readonly<Record<string, { readonly type: "boolean" | "string" }>>;
  /** The words it takes that are no flags, by name; one that may be left out is in brackets. */
  readonly words?: readonly string[];
  /** Whether the warnings about the settings are its own to tell. */
  readonly tellsWarnings?: true;
  /** Answers the exit code. */
  run(given: Given): Promise<number>;
}

export interface Given {
  readonly read: ReadConfig;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function configuredCommand(about: ConfiguredCommand): Command {
  const { name, summary } = about;

  async function run(args: readonly string[]): Promise<number> {
    const { flags, words } = parse(about, args);
    if (flags["help"] === true) {
      console.log(about.usage);
      return 0;
    }
    checkWords(about, words);
    const read = processConfig(flags);
    if (about.tellsWarnings === undefined) for (const warning of read.warnings) say(name, warning);
    return about.run({ read, flags, words });
  }

  return {
    name,
    summary,
    run: (args) => run(args).catch((error: unknown) => answer(name, error)),
  };
}

function parse(about: ConfiguredCommand, args: readonly string[]): Pick<Given, "flags" | "words"> {
  const help = { type: "boolean", short: "h" } as const;
  const options = { ...flagOptions(), ...about.flags, help };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: about.words !== undefined });
  return { flags: values, words: positionals };
}

function checkWords({ words: wanted = [], name }: ConfiguredCommand, words: readonly string[]): void {
  const missing = wanted[words.length];
  const help = `\`leadhand ${name} --help\` says what it takes`;
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing; ${help}`);
  if (words.length > wanted.length) throw new UsageError(`"${words[wanted.length]}" is one word too many; ${help}`);
}

function answer(name: string, error: unknown): number {
  const faults = usageFaults(error);
  if (faults === null && isBug(error)) throw error;
  for (const fault of faults ?? [faultText(error)]) say(name, fault);
  return faults === null ? 1 : 2;
}

/** What is wrong with the command line or the settings; null when it is neither. */
function usageFaults(error: unknown): readonly string[] | null {
  if (error instanceof ConfigError) return error.faults;
  const unparsed = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  return error instanceof UsageError || unparsed ? [error.message] : null;
}

function say(name: string, text: string): void {
  console.error(`leadhand ${name}: ${text}`);
}
