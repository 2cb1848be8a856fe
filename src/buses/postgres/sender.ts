// Sends bundles on a connection of its own: at once when the wire has been idle, then one in every `packMs`.

import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Random } from "../../ports/random.ts";
import { type Bundle, payloadsOf } from "./bundle.ts";
import { steadyConnection } from "./steady-connection.ts";

export interface SenderOptions {
  readonly url: string;
  readonly node: string;
  readonly channel: string;
  readonly packMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What to send now, with about so many characters of messages; null when there is nothing. */
  next(sizeMax: number): Bundle | null;
  /** The bundle has left for good. One whose sending failed is lost, or was sent after all. */
  onSent(bundle: Bundle): void;
  /** The connection is there again after it was lost. */
  onReturn(): void;
}

export interface Sender {
  start(): Promise<void>;
  /** Sends what is left, then a last bundle, both if it can be done soon. */
  stop(last: Bundle): Promise<void>;
  /** There may be something to send. */
  wake(): void;
  counts(): { readonly sentMessages: number; readonly sentPayloads: number };
}

const notifySql = `
  select pg_notify($1, payload)
  from unnest($2::text[]) with ordinality as part (payload, place)
  order by place`;

/** Characters of messages in one transaction: some 30 payloads. */
const bundleSizeMax = 240_000;

export function sender(options: SenderOptions): Sender {
  const { clock, log } = options;
  const connection = steadyConnection({ ...options, name: `leadhand notify ${options.node}` });
  let number = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let sentMessages = 0;
  let sentPayloads = 0;
  let stopped = false;
  let scheduled = false;
  let cancelAlarm: () => void = () => undefined;
  let sending: Promise<void> | null = null;

  function wake(): void {
    if (stopped || scheduled || sending !== null || connection.current() === null) return;
    scheduled = true;
    const freeAt = sentAt + options.packMs;
    // Not at once: what is published in the same turn of the event loop travels together.
    if (clock.now() >= freeAt) setImmediate(flush);
    else cancelAlarm = clock.alarm(freeAt, flush);
  }

  function flush(): void {
    scheduled = false;
    if (stopped) return;
    const bundle = connection.current() === null ? null : options.next(bundleSizeMax);
    if (bundle === null) return;
    sentAt = clock.now();
    sending = send(bundle).finally(() => {
      sending = null;
      wake();
    });
  }

  async function send(bundle: Bundle): Promise<void> {
    number += 1;
    const payloads = payloadsOf(options.node, number, bundle);
    try {
      await connection.current()?.query(notifySql, [options.channel, payloads]);
    } catch (error) {
      // Best effort: sending it again could deliver it twice, and whoever missed it has a safety net.
      log.debug("The bus could not send", { error });
      connection.renew("It did not take a message");
      return;
    }
    sentPayloads += payloads.length;
    sentMessages += bundle.messages?.length ?? 0;
    options.onSent(bundle);
  }

  return {
    start: () => connection.start(),
    async stop(last) {
      stopped = true;
      cancelAlarm();
      await sending;
      if (connection.current() !== null) await send({ ...options.next(bundleSizeMax), ...last });
      await connection.stop();
    },
    wake,
    counts: () => ({ sentMessages, sentPayloads }),
  };
}
