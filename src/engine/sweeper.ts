// What time does by itself. The sweeper wakes at the next known deadline, so a loss is found within a second of its time
// and not an interval later. Every step looks without locks, then acts under them: running one twice is harmless.

import type { Clock } from "../ports/clock.ts";
import type { Surroundings } from "./surroundings.ts";
import type { SweepStep } from "./sweep-steps.ts";

export interface Swept {
  readonly [step: string]: number;
}

export interface Sweeper {
  /** One pass over everything that is due now. */
  tick(): Promise<Swept>;
  /** Something becomes due then. */
  wakeAt(at: number): void;
  /** Only the leader sweeps; the others stand by. */
  lead(leading: boolean): void;
  stop(): Promise<void>;
}

/** Never two passes closer together than this, however many deadlines fall due. */
const restMs = 50;
const retryMs = 1_000;

export function sweeper({ clock, log, telemetry }: Surroundings, steps: readonly SweepStep[]): Sweeper {
  const alarm = earliestAlarm(clock, () => void wake());
  let leading = false;
  let stopped = false;
  let passing: Promise<Swept> | null = null;
  const lastRun = new Map<string, number>();

  function tick(): Promise<Swept> {
    return whenFree(() => pass(() => true));
  }

  /** One pass at a time. */
  async function whenFree(run: () => Promise<Swept>): Promise<Swept> {
    while (passing !== null) await passing.catch(() => {});
    passing = run().finally(() => {
      passing = null;
    });
    return passing;
  }

  async function pass(wanted: (step: SweepStep) => boolean): Promise<Swept> {
    const swept: Record<string, number> = {};
    for (const step of steps) {
      if (stopped) break;
      if (!wanted(step)) continue;
      const now = clock.now();
      lastRun.set(step.name, now);
      const count = await telemetry.span(`leadhand.sweep.${step.name}`, {}, () => step.run(now));
      if (count > 0) swept[step.name] = count;
    }
    return swept;
  }

  function rested({ name, everyMs }: SweepStep): boolean {
    return clock.now() - (lastRun.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs;
  }

  async function wake(): Promise<void> {
    const lateMs = clock.now() - (alarm.rangFor() ?? clock.now());
    if (!leading || stopped) return;
    try {
      const swept = await whenFree(() => pass(rested));
      if (Object.keys(swept).length > 0) telemetry.sweptLate(lateMs);
    } catch (error) {
      log.warn("a sweep was cut short and will be repeated", { error });
      alarm.set(clock.now() + retryMs);
    }
  }

  return {
    tick,
    wakeAt: (at) => {
      if (leading && !stopped) alarm.set(Math.max(at, clock.now() + restMs));
    },
    lead(now) {
      if (now && !leading) log.info("this server leads: it sweeps");
      leading = now;
      if (!now) alarm.clear();
    },
    async stop() {
      stopped = true;
      alarm.clear();
      await passing?.catch(() => {});
    },
  };
}

/** One alarm at the earliest of the times it was set to. */
function earliestAlarm(clock: Clock, ring: () => void) {
  let at: number | null = null;
  let rang: number | null = null;
  let silence: (() => void) | null = null;
  const clear = (): void => {
    silence?.();
    silence = null;
    at = null;
  };
  return {
    set(time: number): void {
      if (at !== null && at <= time) return;
      clear();
      at = time;
      silence = clock.alarm(time, () => {
        rang = time;
        at = null;
        silence = null;
        ring();
      });
    },
    rangFor: () => rang,
    clear,
  };
}
