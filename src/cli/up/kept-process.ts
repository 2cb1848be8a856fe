// A process that is started again when it dies, after a pause that grows while it keeps dying.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface KeptOptions {
  begin(): ChildProcess;
  /** Milliseconds that only grow. */
  now(): number;
  /** It died, and is started again after so long. */
  died(how: string, pauseMs: number): void;
  /** Whether another try would not help. */
  isHopeless(how: number | string): boolean;
  /** It is not started again. */
  refused(how: number | string): void;
}

export interface KeptProcess {
  start(): void;
  /** Answers how it ended: its exit code, or the signal that ended it; 0 where it was not running. */
  stop(withinMs: number): Promise<number | string>;
  kill(): void;
}

const pauseFirstMs = 1_000;
const pauseMaxMs = 30_000;
/** Who has lived for so long dies for the first time again. */
const steadyMs = 60_000;
/** How long the last lines of one that has ended may take to come. */
const lastLinesMs = 1_000;

/** The pause before the next start, after so many deaths in a row. */
export function pauseMs(deaths: number): number {
  return Math.min(pauseFirstMs * 2 ** (deaths - 1), pauseMaxMs);
}

export function keptProcess({ begin, now, died, isHopeless, refused }: KeptOptions): KeptProcess {
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let deaths = 0;
  let over: ((how: number | string) => void) | null = null;

  function start(): void {
    const startedAt = now();
    const begun = begin();
    child = begun;
    begun.once("error", (error) => ended(error.message, startedAt));
    begun.once("exit", (code, signal) => void lastLines(begun).then(() => ended(code ?? signal ?? 1, startedAt)));
  }

  function ended(how: number | string, startedAt: number): void {
    if (child === null) return;
    child = null;
    if (over !== null) over(how);
    else if (isHopeless(how)) refused(how);
    else again(how, startedAt);
  }

  function again(how: number | string, startedAt: number): void {
    deaths = now() - startedAt >= steadyMs ? 1 : deaths + 1;
    died(typeof how === "number" ? `code ${how}` : how, pauseMs(deaths));
    timer = setTimeout(start, pauseMs(deaths));
  }

  return {
    start,
    async stop(withinMs) {
      clearTimeout(timer);
      if (child === null) return 0;
      const { promise, resolve } = Promise.withResolvers<number | string>();
      over = resolve;
      child.kill("SIGTERM");
      const late = setTimeout(() => child?.kill("SIGKILL"), withinMs);
      return promise.finally(() => clearTimeout(late));
    },
    kill() {
      child?.kill("SIGKILL");
    },
  };
}

/** Resolves when it has said everything: what it started may hold its output open, and is not waited for. */
async function lastLines(child: ChildProcess): Promise<void> {
  await once(child, "close", { signal: AbortSignal.timeout(lastLinesMs) }).catch(() => {});
  child.stdout?.destroy();
  child.stderr?.destroy();
}
