// What is wrong with a command line: exit code 2, before anything has happened.

import { ConfigError } from "../server/config.ts";

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What is wrong with the command line or the settings; null when it is neither. */
export function usageFaults(error: unknown): readonly string[] | null {
  if (error instanceof ConfigError) return error.faults;
  const unparsed = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  return error instanceof UsageError || unparsed ? [error.message] : null;
}

export interface Wanted {
  readonly name: string;
  /**
   * The words it takes that are no flags, by name; one that may be left out is in brackets, and the last one may be given
   * several times where it ends in `…`.
   */
  readonly words?: readonly string[];
}

export function checkWords({ words: wanted = [], name }: Wanted, words: readonly string[]): void {
  const missing = wanted[words.length];
  const help = `\`leadhand ${name} --help\` says what it takes`;
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing; ${help}`);
  const isOpen = wanted.at(-1)?.endsWith("…") === true;
  if (!isOpen && words.length > wanted.length) {
    throw new UsageError(`"${words[wanted.length]}" is one word too many; ${help}`);
  }
}
