// The bus of many servers on one PostgreSQL: LISTEN and NOTIFY on connections of their own, away from the store's.
//
// Each server announces what it listens to: what is new at once, everything every few seconds, and to newcomers when
// they say hello; one that is alone keeps quiet. A message leaves only if some other server wants its topic. Messages
// leave at once when the wire is idle, then packed, never one NOTIFY per task: NOTIFY takes a lock that all committing
// transactions queue for.
//
// The announcement a server hears back from itself proves that its LISTEN works; poolers and half-open connections are
// deaf without an error.

import type { Bus, Topic } from "../../ports/bus.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Random } from "../../ports/random.ts";
import { type Listeners, listeners } from "../listeners.ts";
import { announcements } from "./announcements.ts";
import type { Bundle } from "./bundle.ts";
import { type Hearing, hearing } from "./hearing.ts";
import { defaultOutQueueLimits, type OutQueue, type OutQueueLimits, outQueue } from "./out-queue.ts";
import { type Peers, peers } from "./peers.ts";
import { receiver } from "./receiver.ts";
import { type Sender, sender } from "./sender.ts";
import type { SteadyConnection } from "./steady-connection.ts";

export interface PostgresBusOptions {
  readonly url: string;
  /** Where `url` leads to a pooler, a way round it: LISTEN needs a session of its own. */
  readonly listenUrl?: string | undefined;
  /** This server's id; without blanks. */
  readonly node: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly channel?: string;
  readonly timing?: Partial<BusTiming>;
  readonly limits?: Partial<OutQueueLimits>;
}

export interface BusTiming {
  /** A busy wire carries one bundle in this time. */
  readonly packMs: number;
  /** Between announcements. */
  readonly announceMs: number;
  /** A server not heard of for so long is gone. */
  readonly forgetMs: number;
}

export const defaultBusTiming: BusTiming = { packMs: 10, announceMs: 5_000, forgetMs: 15_000 };

export interface PostgresBus extends Bus {
  /** Whether anyone listens, here or elsewhere, as far as it is known. */
  wanted(topic: Topic): boolean;
  counts(): BusCounts;
}

export interface BusCounts {
  readonly sentMessages: number;
  readonly sentPayloads: number;
  readonly receivedMessages: number;
  readonly droppedMessages: number;
  readonly otherServers: number;
}

export function postgresBus(options: PostgresBusOptions): PostgresBus {
  const { log, channel = "leadhand" } = options;
  const timing = { ...defaultBusTiming, ...options.timing };
  const queue = outQueue({ ...defaultOutQueueLimits, ...options.limits });
  const others = peers();
  const ear = hearing();
  let company: number | null = null;
  const isAlone = () => company === 0 && others.count() === 0;
  const here = listeners(log, (topic) => {
    // Whoever comes is told everything.
    if (isAlone()) return;
    says.begun(topic);
    out.wake();
  });
  const says = announcements(here.topics, ear);
  let received = 0;

  const { packMs } = timing;
  const out = sender({ ...options, channel, packMs, next, onSent: ({ probe }) => ear.sent(probe), onReturn: announce });
  const listening = receiver({ ...options, channel, receive, onReturn: listenAgain });
  const parts: Parts = { options, timing, queue, others, ear, here, out, listening };
  const life = lifeOf(parts, { announce, sayHello, isAlone });

  function next(sizeMax: number): Bundle | null {
    const announced = says.take();
    if (announced === null && queue.length === 0) return null;
    return { ...announced, ...(queue.length > 0 && { messages: queue.take(sizeMax) }) };
  }

  function receive(from: string, bundle: Bundle): void {
    if (from === options.node) {
      ear.heard(bundle.probe);
      return;
    }
    received += bundle.messages?.length ?? 0;
    if (learn(parts, from, bundle)) sayHello();
    else if (bundle.hello) announce();
    for (const [topic, message] of bundle.messages ?? []) here.deliver(topic, message);
  }

  function announce(): void {
    says.all();
    out.wake();
  }

  function sayHello(): void {
    says.hello();
    out.wake();
  }

  function listenAgain(): void {
    ear.reset();
    sayHello();
  }

  return {
    ...life,
    publish(topic, message = "") {
      here.deliverLater(topic, message);
      if (!others.want(topic)) return;
      queue.add(topic, message);
      out.wake();
    },
    subscribe: here.add,
    wanted: (topic) => here.has(topic) || others.want(topic),
    company(otherServers) {
      const wasAlone = company === 0;
      company = otherServers;
      if (wasAlone && otherServers > 0) sayHello();
    },
    counts: () => ({
      ...out.counts(),
      receivedMessages: received,
      droppedMessages: queue.dropped,
      otherServers: others.count(),
    }),
  };
}

interface Parts {
  readonly options: PostgresBusOptions;
  readonly timing: BusTiming;
  readonly queue: OutQueue;
  readonly others: Peers;
  readonly ear: Hearing;
  readonly here: Listeners;
  readonly out: Sender;
  readonly listening: SteadyConnection;
}

/** True when the server was unknown and does not say what it wants, so that it has to be asked. */
function learn({ options, others }: Parts, from: string, bundle: Bundle): boolean {
  if (bundle.bye) {
    others.remove(from);
    return false;
  }
  const unknown = others.heard(from, options.clock.now());
  if (bundle.wantsAll !== undefined) others.setWants(from, bundle.wantsAll);
  if (bundle.wants !== undefined) others.addWants(from, bundle.wants);
  return unknown && bundle.wantsAll === undefined;
}

interface Says {
  announce(): void;
  sayHello(): void;
  isAlone(): boolean;
}

function lifeOf(parts: Parts, { announce, sayHello, isAlone }: Says): Pick<Bus, "start" | "stop"> {
  const { timing, queue, others, ear, here, out, listening } = parts;
  const { clock, log } = parts.options;
  let cancelTick: () => void = () => undefined;
  let stopping: Promise<void> | null = null;
  let droppedBefore = 0;

  function tick(): void {
    cancelTick = clock.alarm(clock.now() + timing.announceMs, tick);
    if (listening.current() === null) ear.reset();
    else if (ear.isDeaf())
      listening.renew("It does not hear its own messages. Behind a pooler set LEADHAND_DATABASE_LISTEN_URL");
    // Only who hears can tell that another has fallen silent.
    else others.forget(clock.now() - timing.forgetMs);
    if (queue.dropped > droppedBefore) log.warn("The bus dropped messages", { count: queue.dropped - droppedBefore });
    droppedBefore = queue.dropped;
    if (!isAlone()) announce();
  }

  async function quiet(): Promise<void> {
    cancelTick();
    here.close();
    await out.stop({ bye: true });
    await listening.stop();
  }

  function stop(): Promise<void> {
    stopping ??= quiet();
    return stopping;
  }

  async function start(): Promise<void> {
    try {
      await Promise.all([listening.start(), out.start()]);
    } catch (error) {
      await stop();
      throw error;
    }
    cancelTick = clock.alarm(clock.now() + timing.announceMs, tick);
    sayHello();
  }

  return { start, stop };
}
