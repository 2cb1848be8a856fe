// A connection to RabbitMQ that is looked for as long as it takes. It is up when the broker has answered, everything we
// need is declared as far as it can be, and the broker is willing to take messages. An outage is logged once, and so is
// its end.

import { Connection } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { brokerWords } from "../../protocol/amqp/broker-words.ts";
import type { Topology } from "../../protocol/amqp/topology.ts";
import { inTime } from "./in-time.ts";
import { type RabbitDeclarations, rabbitDeclarations } from "./rabbit-declarations.ts";
import { type RabbitQuestions, rabbitQuestions } from "./rabbit-questions.ts";
import { type SendingChannel, sendingChannel } from "./sending-channel.ts";
import { type SharedChannel, sharedChannel } from "./shared-channel.ts";

export interface RabbitLinkOptions {
  readonly url: string;
  /** What operators see in the broker's list of connections. */
  readonly name: string;
  readonly topology: Topology;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the broker may take to answer a question. */
  readonly answerMs: number;
}

export interface RabbitLink
  extends Pick<RabbitQuestions, "ask">,
    Pick<RabbitDeclarations, "declare" | "isThere" | "miss"> {
  start(): void;
  isUp(): boolean;
  /** Since when it is not up; null while it is. */
  awaySince(): number | null;
  onUp(listener: () => void): void;
  /** For all messages. One that the broker has ended is no outage, and followed by another. Null while there is none. */
  sending(): Promise<SendingChannel | null>;
  /** One more, for whoever asks. Rejects where there is none. */
  another(): Promise<SendingChannel>;
  /** Gives up the connection and looks for another. */
  renew(why: string): void;
  stop(): Promise<void>;
}

/** Twice this long without a word, and the connection is taken for dead. A `heartbeat` in the URL wins. */
const heartbeatSeconds = 10;
const frameBytes = 131_072;
/** Between two looks for the broker: longer with each, up to the second. */
const lookMs = [250, 5_000] as const;
const connectMs = 5_000;
const arrangeAgainMs = 1_000;
const closeMs = 2_000;

export function rabbitLink(options: RabbitLinkOptions): RabbitLink {
  const { topology, clock, log, answerMs } = options;
  let connection: Connection | null = null;
  let shared: SharedChannel | null = null;
  let arrangements = 0;
  let isBlocked = false;
  let stopped = false;
  const presence = told(clock, log);
  const questions = rabbitQuestions({ clock, answerMs, connection: () => connection });
  const isOpen = () => connection?.ready === true && !isBlocked;
  const declarations = rabbitDeclarations({ topology, clock, log, ask: questions.ask, isOpen });

  function connect(): void {
    const ifMine = (then: (why: string) => void) => (why?: unknown) => {
      if (!stopped && connection === mine) then(brokerWords(why));
    };
    const mine = newConnection(options, {
      onOpen: ifMine(() => {
        isBlocked = false;
        void arrange(mine);
      }),
      onLost: ifMine(presence.away),
      onBlocked: ifMine((why) => {
        isBlocked = true;
        presence.away(`it takes no messages: ${why}`);
      }),
    });
    connection = mine;
    shared = sharedChannel(() => another(mine));
  }

  const another = (mine: Connection) => inTime(clock, answerMs, sendingChannel(mine, clock));

  function renew(why: string): void {
    // One that is away, or blocked, comes back by itself.
    if (stopped || connection === null || !presence.isHere()) return;
    const old = connection;
    presence.away(why);
    connect();
    old.unsafeDestroy();
  }

  /** Everything that has to be there before the first message. Another beginning ends this one. */
  async function arrange(mine: Connection): Promise<void> {
    arrangements += 1;
    const nth = arrangements;
    const isOver = () => stopped || connection !== mine || arrangements !== nth;
    try {
      await shared?.opened();
      await declarations.all();
      if (!isOver() && isOpen()) presence.here();
    } catch (error) {
      if (isOver()) return;
      presence.away(brokerWords(error));
      // A connection that is lost begins again by itself; this one is there and something else went wrong.
      clock.alarm(clock.now() + arrangeAgainMs, () => {
        if (!isOver() && mine.ready) void arrange(mine);
      });
    }
  }

  const isUp = () => !stopped && presence.isHere() && isOpen();

  return {
    ask: questions.ask,
    declare: declarations.declare,
    isThere: declarations.isThere,
    miss: declarations.miss,
    start() {
      if (!stopped && connection === null) connect();
    },
    isUp,
    awaySince: () => (isUp() ? null : presence.awaySince()),
    onUp: presence.onHere,
    async sending() {
      try {
        return (await shared?.opened()) ?? null;
      } catch (error) {
        renew(brokerWords(error));
        return null;
      }
    },
    async another() {
      if (connection === null) throw new Error("there is no connection");
      return another(connection);
    },
    renew,
    async stop() {
      stopped = true;
      declarations.stop();
      const mine = connection;
      connection = null;
      if (mine === null) return;
      const closing = Promise.all([shared?.close(), questions.close()]).then(() => mine.close());
      // A broker that is not there, or takes nothing, does not answer that either.
      await inTime(clock, closeMs, closing).catch(() => mine.unsafeDestroy());
    },
  };
}

interface Hears {
  /** It is there, or heeds us again. */
  onOpen(): void;
  onLost(why: unknown): void;
  onBlocked(why: unknown): void;
}

/** Looks for the broker, and again each time that it is lost. */
function newConnection({ url, name, answerMs }: RabbitLinkOptions, hears: Hears): Connection {
  const connection = new Connection({
    ...{ url, connectionName: name, heartbeat: heartbeatSeconds, frameMax: frameBytes, noDelay: true },
    ...{ connectionTimeout: connectMs, acquireTimeout: answerMs, retryLow: lookMs[0], retryHigh: lookMs[1] },
  });
  connection.on("connection", hears.onOpen);
  connection.on("error", hears.onLost);
  connection.on("connection.blocked", hears.onBlocked);
  connection.on("connection.unblocked", hears.onOpen);
  return connection;
}

interface Presence {
  isHere(): boolean;
  /** Since it was last here, or from the beginning. */
  awaySince(): number;
  onHere(listener: () => void): void;
  here(): void;
  away(why: string): void;
}

/** Whether the broker is there, said to the log and to whoever wants to hear, once for each change. */
function told(clock: Clock, log: Log): Presence {
  const listeners: (() => void)[] = [];
  let isHere = false;
  let awaySince: number | null = null;
  let changedAt = clock.now();
  return {
    awaySince: () => awaySince ?? changedAt,
    isHere: () => isHere,
    onHere: (listener) => void listeners.push(listener),
    here() {
      if (isHere) return;
      isHere = true;
      changedAt = clock.now();
      if (awaySince === null) log.info("RabbitMQ is there");
      else log.info("RabbitMQ is there again", { awayMs: Math.round(clock.now() - awaySince) });
      awaySince = null;
      for (const listener of listeners) listener();
    },
    away(error) {
      isHere = false;
      if (awaySince !== null) return;
      awaySince = clock.now();
      log.warn("RabbitMQ cannot be used now; its consumers hear of tasks when it is back", { error });
    },
  };
}
