// Commands that work with the server's settings: each setting is a flag of theirs. The command line and the settings are
// checked before anything happens; what is wrong with them is exit code 2, whatever fails afterwards is exit code 1.

import { parseArgs } from "node:util";
import { processConfig, type ReadConfig } from "../server/config.ts";
import { flagOptions } from "../server/settings/settings.ts";
import type { Command } from "./command.ts";
import { faultText, isBug } from "./fault-text.ts";
import { checkWords, usageFaults } from "./usage-error.ts";

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

function answer(name: string, error: unknown): number {
  const faults = usageFaults(error);
  if (faults === null && isBug(error)) throw error;
  for (const fault of faults ?? [faultText(error)]) say(name, fault);
  return faults === null ? 1 : 2;
}

function say(name: string, text: string): void {
  console.error(`leadhand ${name}: ${text}`);
}
