// The pulse: one statement a second that renews this server's row and leadership, and tells it what every server must
// know: the database's clock, its peers, what is due next, which lanes hold work, whether the catalog has changed.

import { listenMs, windowsOf } from "../core/liveness.ts";
import type { Pulse } from "../ports/pulse.ts";
import type { Catalog } from "./catalog.ts";
import type { Agenda } from "./control/agenda.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Hearing } from "./hearing.ts";
import type { NodeLoad } from "./node-load.ts";
import type { Publishing } from "./publishing/publishing.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Sweeper } from "./sweeper.ts";

export interface Heart {
  /** One pulse now, and one every `pulseMs` from then on. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The last pulse, if it is not older than the leader's lease. */
  latest(): Pulse | null;
  /** The clocks were too far apart to judge anything by time. */
  skewed(): boolean;
}

export interface HeartParts {
  readonly catalog: Catalog;
  readonly dispatcher: Dispatcher;
  readonly sweeper: Sweeper;
  readonly hearing: Hearing;
  readonly agenda: Pick<Agenda, "nextAt">;
  /** Where there is a message broker. */
  readonly publishing: Pick<Publishing, "expect" | "lookBeside"> | null;
  readonly nodeId: string;
  /** Moves our clock by this much, to the database's; absent where the store has no clock of its own. */
  readonly adjustClock?: (byMs: number) => void;
  /** How far our clock has been moved from the machine's; absent where it never is. */
  readonly offsetMs?: () => number;
  /** How busy this server is. */
  readonly load?: () => Partial<NodeLoad>;
}

export function heart(around: Surroundings, parts: HeartParts): Heart {
  const { store, bus, clock, log, telemetry, settings } = around;
  const startedAt = clock.now();
  const { shortestMs, longestMs } = windowsToHear(settings);
  let last: { pulse: Pulse; at: number } | null = null;
  let skewMs = 0;
  let silence: (() => void) | null = null;
  let beating: Promise<void> | null = null;
  let stopped = false;

  async function beat(staying: boolean): Promise<void> {
    const { version, address } = settings.node;
    const sentAt = clock.now();
    const node = { id: parts.nodeId, startedAt, version, address, ...saysOfItself(parts) };
    const heardMs = Math.max(shortestMs, sentAt - parts.hearing.since(sentAt, longestMs));
    const pulse = await store.pulse({ node, now: sentAt, leaseMs: settings.leaderLeaseMs, heardMs, staying });
    if (!staying) return;
    // Where our clock was set to another time, what it said before is moved along.
    take(pulse, sentAt + measure(pulse, sentAt, clock.now()));
  }

  /** Not on the way of the next pulse: reading may take long where many read, and a lease does not wait for it. */
  async function keepUp(): Promise<void> {
    if (last !== null && last.pulse.catalog !== parts.catalog.revision()) await parts.catalog.refresh();
  }

  /**
   * The database looked at its clock some time between the two; only what lies outside of them is known to be skew.
   * Answers by how much our clock was moved.
   */
  function measure(pulse: Pulse, sentAt: number, answeredAt: number): number {
    skewMs = pulse.now < sentAt ? pulse.now - sentAt : Math.max(0, pulse.now - answeredAt);
    telemetry.pulseSkew(skewMs);
    if (parts.adjustClock === undefined || skewMs === 0) return 0;
    if (Math.abs(skewMs) > settings.clockSkewWarnMs) log.warn("our clock was off the database's", { skewMs });
    parts.adjustClock(skewMs);
    return skewMs;
  }

  function take(pulse: Pulse, at: number): void {
    const before = last;
    parts.hearing.tick(clock.now());
    last = { pulse, at };
    parts.sweeper.lead(pulse.leader ? at + settings.leaderLeaseMs : null);
    bus.company(pulse.nodes.filter((node) => node.id !== parts.nodeId).length);
    const news =
      before === null || before.pulse.catalog !== pulse.catalog || before.pulse.nodes.length !== pulse.nodes.length;
    if (news) parts.sweeper.watch();
    if (pulse.outbox) parts.sweeper.wakeAt(clock.now() + settings.pulseMs);
    if (parts.publishing?.expect(pulse)) {
      if (pulse.leader) parts.sweeper.wakeAt(clock.now());
      else parts.publishing.lookBeside();
    }
    const dues = [pulse.nextRunAt, pulse.nextDueAt, parts.agenda.nextAt()];
    for (const due of dues) if (due !== null) parts.sweeper.wakeAt(due);
    parts.sweeper.expectSilence(fairLoss(pulse));
    parts.dispatcher.hint(pulse.lanes);
  }

  /**
   * Nobody is given up before one full window of listening. Those with longer ones are foretold when theirs is over; for
   * those with shorter ones it may be looked in vain.
   */
  function fairLoss({ nextLostAt }: Pulse): number | null {
    if (nextLostAt === null) return null;
    return Math.max(nextLostAt, parts.hearing.since(clock.now(), longestMs) + shortestMs);
  }

  async function loop(): Promise<void> {
    try {
      await beat(true);
    } catch (error) {
      log.warn("the pulse failed", { error });
    }
    if (stopped) return;
    silence = clock.alarm(clock.now() + settings.pulseMs, next);
    if (fresh() !== null) await keepUp().catch((error) => log.warn("the catalog could not be read", { error }));
  }

  function fresh(): Pulse | null {
    return last !== null && clock.now() - last.at < settings.leaderLeaseMs ? last.pulse : null;
  }

  function next(): void {
    beating = loop();
  }

  return {
    async start() {
      await beat(true);
      await keepUp();
      silence = clock.alarm(clock.now() + settings.pulseMs, next);
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      silence?.();
      // With the database away there is nobody to sign off with, and the lease ends by itself.
      if (fresh() === null) return;
      await beating;
      await beat(false).catch((error) => log.warn("this server could not sign off", { error }));
    },
    latest: fresh,
    skewed: () => parts.adjustClock !== undefined && Math.abs(skewMs) > settings.clockSkewMaxMs,
  };
}

function windowsToHear({ profiles }: Surroundings["settings"]) {
  const shortestMs = Math.min(...Object.values(profiles).map(listenMs));
  return { shortestMs, longestMs: windowsOf(profiles).at(-1) as number };
}

function saysOfItself({ load: measure, offsetMs }: HeartParts) {
  const load = measure?.();
  return { skewMs: Math.round(offsetMs?.() ?? 0), load: load === undefined ? null : JSON.stringify(load) };
}
