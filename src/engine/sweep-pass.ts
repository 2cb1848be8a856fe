// One pass over some steps of the sweep, one after the other. A step that fails keeps none of the others from their work.

import type { Clock } from "../ports/clock.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { SweepStep } from "./sweep-steps.ts";
import type { Swept } from "./sweeper.ts";

/** What one pass did, and what kept it from doing more. */
export interface Passed {
  readonly swept: Swept;
  readonly failures: readonly unknown[];
}

export interface SweepPassParts {
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, "span">;
  wakeAt(at: number): void;
  began(step: SweepStep, at: number): void;
  /** Not told of a pass that had nothing to run. */
  ended(from: number, ms: number, swept: Swept): void;
}

export function sweepPass({ clock, telemetry, wakeAt, began, ended }: SweepPassParts) {
  return async function pass(
    steps: readonly SweepStep[],
    mayGoOn: () => boolean,
    wanted: (step: SweepStep, now: number) => boolean = () => true,
  ): Promise<Passed> {
    const swept: Record<string, number> = {};
    const failures: unknown[] = [];
    const from = clock.now();
    let ran = 0;
    for (const step of steps) {
      const now = clock.now();
      if (!mayGoOn()) break;
      if (!wanted(step, now)) continue;
      ran += 1;
      began(step, now);
      try {
        const count = await telemetry.span(`leadhand.sweep.${step.name}`, {}, () => step.run(now));
        if (count > 0) swept[step.name] = count;
        const next = step.nextAt?.() ?? null;
        // Not before it has rested: one that cannot be finished must not keep us busy.
        if (next !== null) wakeAt(Math.max(next, now + step.everyMs));
      } catch (error) {
        failures.push(error);
      }
    }
    if (ran > 0) ended(from, clock.now() - from, swept);
    return { swept, failures };
  };
}
