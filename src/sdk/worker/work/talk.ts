// When a worker speaks. At most one heartbeat leaves in a turn of the event loop, with all that is to be said by then:
// whatever a hundred handlers have to tell in one moment is one frame. One leaves in time where there is nothing to say.

import { condition } from "./condition.ts";
import type { Connection } from "./connection.ts";
import { heartbeatText } from "./heartbeat-text.ts";
import type { Load, Outbox } from "./outbox.ts";

export interface Talk {
  /** There is something that should be said at once. */
  soon(): void;
  /** More tasks may be wanted than it said. */
  offer(): void;
  /** The first word on a connection; nothing else is said before it is answered. */
  begin(connection: Connection, registration: string): void;
  /** It was answered. */
  welcomed(heartbeatMaxGapMs: number): void;
  /** Said with the next heartbeat. */
  register(registration: string): void;
  /** This assignment was seen. False where one before it was not. */
  seen(assignment: number): boolean;
  /** What became of a command, as JSON; where the connection is lost first, the server asks again. */
  acknowledge(ack: string): void;
  /** The server's number, to be said back to it. */
  heard(nonce: number): void;
  /** There is something that has to be said before anything else happens. */
  now(): void;
  /** The connection is gone. */
  end(): void;
}

export interface TalkParts {
  readonly outbox: Outbox;
  /** How many more tasks are wanted. */
  ready(): number;
  isDraining(): boolean;
  /** Once in the time that the server grants between two heartbeats, which is this. */
  onGap(gapMs: number): void;
}

/** Of the time that the server grants between two. */
const share = 0.8;
/** A connection that takes no more is given time. */
const waitingBytesMax = 4 * 1_048_576;
const waitingMs = 20;

const nothing: Load = { alerts: [], jobs: [], logs: [], results: [], isLast: true };

export function talk({ outbox, ready, isDraining, onGap }: TalkParts): Talk {
  let changes = condition();
  let connection: Connection | null = null;
  let isWelcome = false;
  let isPlanned = false;
  let seq = 0;
  let acked = 0;
  let said = 0;
  let echo: number | null = null;
  let registration: string | null = null;
  let acks: string[] = [];
  let beating: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let planned: NodeJS.Immediate | undefined;

  function say(load: Load): void {
    seq += 1;
    said = ready();
    const about = { seq, ready: said, acked, echo, draining: isDraining(), registration, worker: changes(), acks };
    [registration, acks] = [null, []];
    connection?.send(heartbeatText({ ...load, ...about }));
  }

  function flush(): void {
    isPlanned = false;
    clearImmediate(planned);
    if (connection === null || !isWelcome) return;
    if (connection.waitingBytes() > waitingBytesMax) {
      isPlanned = true;
      setTimeout(flush, waitingMs);
      return;
    }
    const load = outbox.load();
    say(load);
    beating?.refresh();
    if (!load.isLast) soon();
  }

  function soon(): void {
    if (isPlanned || !isWelcome) return;
    isPlanned = true;
    planned = setImmediate(flush);
  }

  function stopTimers(): void {
    clearInterval(beating);
    clearInterval(looking);
  }

  return {
    soon,
    offer() {
      if (ready() > said) soon();
    },
    begin(opened, words) {
      // Another server, or the same one after its restart, knows nothing of what was told before.
      changes = condition();
      [connection, seq, acked, echo, registration, acks] = [opened, 0, 0, null, words, []];
      say(nothing);
    },
    welcomed(heartbeatMaxGapMs) {
      isWelcome = true;
      stopTimers();
      beating = setInterval(soon, heartbeatMaxGapMs * share);
      looking = setInterval(() => onGap(heartbeatMaxGapMs), heartbeatMaxGapMs);
      soon();
    },
    register(words) {
      registration = words;
      soon();
    },
    seen(assignment) {
      if (assignment > acked + 1) return false;
      acked = Math.max(acked, assignment);
      soon();
      return true;
    },
    acknowledge(ack) {
      acks.push(ack);
      soon();
    },
    heard(nonce) {
      echo = nonce;
    },
    now: flush,
    end() {
      [connection, isWelcome] = [null, false];
      stopTimers();
    },
  };
}
