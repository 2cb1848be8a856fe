// Asking again where time may mend what is wrong: no answer came, or the server cannot work now. Only for what may be
// asked twice.

import { setTimeout as pause } from "node:timers/promises";
import { ServerProblem, ServerUnreachable } from "../sdk/problem.ts";
import type { Asking } from "./asking-command.ts";
import { causeText } from "./refusal-text.ts";

/** How long to wait before each further try; about two minutes in all. */
const waitsMs = [250, 500, 1_000, 2_000, ...Array.from({ length: 23 }, () => 5_000)];

/** A try or two are nobody's business. */
const toldAfter = 2;

export interface Patience {
  /** Waits before another try; throws the fault where it is not worth one, or was tried often enough. */
  after(fault: unknown): Promise<void>;
  /** An answer came: all tries are ahead again. */
  restore(): void;
}

export function patience({ say, signal }: Pick<Asking, "say" | "signal">, limit = waitsMs.length): Patience {
  let failures = 0;
  return {
    async after(fault) {
      const wait = failures < limit ? waitsMs[failures] : undefined;
      if (wait === undefined || !isWorthAnotherTry(fault)) throw fault;
      if (failures === toldAfter) say(`no answer (${causeText(fault as Error)}); trying again`);
      failures += 1;
      await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    restore() {
      failures = 0;
    },
  };
}

export async function patiently<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
  const patient = patience(asking);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      await patient.after(error);
    }
  }
}

export function isWorthAnotherTry(error: unknown): boolean {
  if (error instanceof ServerUnreachable) return true;
  if (error instanceof DOMException && error.name === "TimeoutError") return true;
  if (!(error instanceof ServerProblem)) return false;
  const { code, status } = error;
  return (
    code === "rate-limited" ||
    status > 503 ||
    status === 502 ||
    (status === 503 && code !== "internal-job-not-configured")
  );
}
