/** One command of the command line: a file in `commands/` that exports it as `command`. */
export type Command = {
  readonly name: string;
  readonly summary: string;
  /** Answers the exit code of the process. */
  run(args: readonly string[]): Promise<number>;
};
