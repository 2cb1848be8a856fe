// Runs a command with something that it needs beside it, and ends that with it.

import { runCommand } from "./run-command.ts";

export interface Service {
  /** Where the command finds it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface WithService {
  /** Of the tool, as it is called. */
  readonly tool: string;
  start(): Promise<Service>;
  /** Whether it is not to be had here; the error says what to do. */
  isMissing(error: unknown): error is Error;
}

/** Answers the exit code. */
export async function withService(args: readonly string[], service: WithService): Promise<number> {
  const [command, ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (command === undefined) {
    console.error(`Usage: node tools/node.mjs ${service.tool} -- <command …>`);
    return 2;
  }
  let interrupted = false;
  const note = () => (interrupted = true);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, note);

  const started = await startOrExplain(service);
  if (started === undefined) return 2;
  try {
    return interrupted ? 130 : await runCommand([command, ...rest], started.environment);
  } catch (error) {
    console.error(`Cannot run ${command}: ${error instanceof Error ? error.message : error}`);
    return 127;
  } finally {
    await started.stop();
  }
}

async function startOrExplain({ start, isMissing }: WithService): Promise<Service | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!isMissing(error)) throw error;
    console.error(error.message);
    return undefined;
  }
}
