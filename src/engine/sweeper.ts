// What time does by itself. The sweeper wakes at the next known deadline, so a loss is found within a second of its time
// and not an interval later. Every step looks without locks, then acts under them: running one twice is harmless. Safety
// nets may take their time, retention above all, so they go beside what is due and hold up none of it.

import { isRecent } from "../core/recent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Passed, sweepPass } from "./sweep-pass.ts";
import type { SweepStep } from "./sweep-steps.ts";

export interface Swept {
  readonly [step: string]: number;
}

/** What the passes of this server have done since its start. */
export interface SweepRecord {
  readonly leader: boolean;
  readonly lastAt: number | null;
  readonly lastMs: number | null;
  readonly runs: number;
  /** By step. */
  readonly moved: Swept;
}

export interface Sweeper {
  /** One pass over everything that is due now, whoever leads. Throws what a step threw, after all have had their turn. */
  tick(): Promise<Swept>;
  /** Something becomes due then. */
  wakeAt(at: number): void;
  /** By what is known now, some worker changes then if it stays silent; replaces what was said before. Null: none does. */
  expectSilence(at: number | null): void;
  /** Something happened that may have left something behind: the safety nets look at it, a while later. */
  watch(): void;
  /** Only the leader sweeps, until its lease ends by the clock; null: another one leads. */
  lead(until: number | null): void;
  record(): SweepRecord;
  stop(): Promise<void>;
}

/** Never two passes closer together than this, however many deadlines fall due. */
const restMs = 50;
const retryMs = 1_000;

export function sweeper({ clock, log, telemetry, settings }: Surroundings, steps: readonly SweepStep[]): Sweeper {
  const alarm = earliestAlarm(clock, (at) => void wake(at));
  /** Apart from the others, because it moves on with every beat: workers that are well must not wake anybody. */
  const silenceAlarm = earliestAlarm(clock, (at) => void wake(at));
  const passes = oneAtATime<Passed>();
  const netPasses = oneAtATime<Passed>();
  const nets = steps.filter(({ everyMs }) => everyMs > 0);
  const deadlines = steps.filter(({ everyMs }) => everyMs === 0);
  let leadsUntil: number | null = null;
  let stopped = false;
  const rests = netRests(nets);
  const past = sweepRecord();
  const pass = sweepPass({ clock, telemetry, wakeAt, began: rests.ran, ended: past.add });

  /** By the clock: a pulse that hangs tells nothing, and meanwhile another server may lead. */
  function leading(): boolean {
    return !stopped && leadsUntil !== null && clock.now() < leadsUntil;
  }

  async function tick(): Promise<Swept> {
    const mayGoOn = (): boolean => !stopped;
    const due = await passes.run(() => pass(deadlines, mayGoOn));
    const beside = await netPasses.run(() => pass(nets, mayGoOn));
    // Whoever came meanwhile left its wish to us.
    wakeForNets();
    const [failure] = [...due.failures, ...beside.failures];
    if (failure !== undefined) throw failure;
    return { ...due.swept, ...beside.swept };
  }

  async function wake(at: number): Promise<void> {
    const lateMs = clock.now() - at;
    if (!leading()) return;
    const due = await passes.run(() => pass(deadlines, leading));
    if (Object.keys(due.swept).length > 0) telemetry.sweptLate(lateMs);
    if (due.failures.length > 0) wakeAt(clock.now() + retryMs);
    const beside = await lookBeside();
    const [error] = [...due.failures, ...(beside?.failures ?? [])];
    if (error === undefined) return beside === null ? undefined : wakeForNets();
    log.warn("a sweep was cut short and will be repeated", { error });
    // What was begun may be half done, and finishing it is what the nets are for: they do not rest first.
    rests.end();
    wakeAt(clock.now() + retryMs);
  }

  /** Null where the nets are being looked at: whoever does knows at the end what was wanted meanwhile. */
  async function lookBeside(): Promise<Passed | null> {
    if (netPasses.isBusy()) return null;
    return netPasses.run(() => pass(nets, leading, rests.rested));
  }

  function wakeForNets(): void {
    const next = rests.nextAt();
    if (next !== null) wakeAt(next);
  }

  function clear(): void {
    alarm.clear();
    silenceAlarm.clear();
  }

  function wakeAt(at: number): void {
    if (leading()) alarm.set(Math.max(at, clock.now() + restMs));
  }

  function expectSilence(at: number | null): void {
    silenceAlarm.clear();
    if (at !== null && leading()) silenceAlarm.set(Math.max(at, clock.now() + restMs));
  }

  function watch(): void {
    if (!leading()) return;
    const at = clock.now() + settings.sweepMs;
    rests.wanted(at);
    wakeAt(at);
  }

  return {
    tick,
    wakeAt,
    expectSilence,
    watch,
    lead(until) {
      const before = leading();
      leadsUntil = until;
      if (!leading()) clear();
      if (!leading() || before) return;
      log.info("this server leads: it sweeps");
      // Whoever led before may have left something half done.
      watch();
    },
    record: () => ({ leader: leading(), ...past.told() }),
    async stop() {
      stopped = true;
      clear();
      await passes.quiet();
      await netPasses.quiet();
    },
  };
}

/**
 * When the safety nets look again. They rest between two looks; a wish to look is kept until each has looked at or
 * after its time, because nobody repeats it, as the pulse repeats deadlines.
 */
function netRests(nets: readonly SweepStep[]) {
  const lastRun = new Map<string, number>();
  const last = ({ name }: SweepStep): number => lastRun.get(name) ?? Number.NEGATIVE_INFINITY;
  let wantedAt = Number.NEGATIVE_INFINITY;
  return {
    ran: ({ name }: SweepStep, now: number) => void lastRun.set(name, now),
    rested: (step: SweepStep, now: number): boolean => !isRecent(last(step), now, step.everyMs),
    wanted: (at: number): void => {
      wantedAt = Math.max(wantedAt, at);
    },
    end: () => lastRun.clear(),
    nextAt(): number | null {
      const waiting = nets.filter((step) => last(step) < wantedAt);
      if (waiting.length === 0) return null;
      return Math.max(wantedAt, Math.min(...waiting.map((step) => last(step) + step.everyMs)));
    },
  };
}

function sweepRecord() {
  const moved: Record<string, number> = {};
  let [lastAt, lastMs, runs] = [null as number | null, null as number | null, 0];
  return {
    add(at: number, ms: number, swept: Swept): void {
      [lastAt, lastMs, runs] = [at, ms, runs + 1];
      for (const [step, count] of Object.entries(swept)) moved[step] = (moved[step] ?? 0) + count;
    },
    told: (): Omit<SweepRecord, "leader"> => ({ lastAt, lastMs, runs, moved: { ...moved } }),
  };
}

function oneAtATime<T>() {
  let passing: Promise<T> | null = null;
  const quiet = async (): Promise<void> => void (await passing?.catch(() => {}));
  return {
    quiet,
    isBusy: () => passing !== null,
    async run(pass: () => Promise<T>): Promise<T> {
      while (passing !== null) await quiet();
      passing = pass().finally(() => {
        passing = null;
      });
      return passing;
    },
  };
}

/** One alarm at the earliest of the times it was set to. */
function earliestAlarm(clock: Clock, ring: (at: number) => void) {
  let at: number | null = null;
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
        at = null;
        silence = null;
        ring(time);
      });
    },
    clear,
  };
}
