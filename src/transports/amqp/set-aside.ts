// Messages over which a broker ends the channel: one that is larger than it takes, for instance. Sent with others it would
// take them along each time, so it is sent alone from then on, and seldom.

import { createHash } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";

export interface SetAside {
  /** Whether it may be sent with others, has to be sent alone, or not now. */
  wayOf(queue: string, body: string): "together" | "alone" | "later";
  /** Answers whether it is the first time. */
  add(queue: string, body: string): boolean;
  remove(queue: string, body: string): void;
}

const restMs = 60_000;
/** The one that was set aside longest ago is forgotten where there are more. */
const countMax = 1_000;

export function setAside(clock: Clock): SetAside {
  /** When each may be tried again. Bodies may be long, so their hashes stand for them. */
  const restUntil = new Map<string, number>();
  /** Most others are told apart by their length alone. */
  const lengths = new Set<number>();

  return {
    wayOf(queue, body) {
      if (!lengths.has(body.length)) return "together";
      const until = restUntil.get(keyOf(queue, body));
      if (until === undefined) return "together";
      return clock.now() < until ? "later" : "alone";
    },
    add(queue, body) {
      const key = keyOf(queue, body);
      const isFirst = !restUntil.delete(key);
      restUntil.set(key, clock.now() + restMs);
      lengths.add(body.length);
      const [oldest] = restUntil.keys();
      if (restUntil.size > countMax && oldest !== undefined) restUntil.delete(oldest);
      return isFirst;
    },
    remove(queue, body) {
      if (restUntil.size > 0) restUntil.delete(keyOf(queue, body));
      if (restUntil.size === 0) lengths.clear();
    },
  };
}

function keyOf(queue: string, body: string): string {
  return `${queue}\n${createHash("sha256").update(body).digest("base64")}`;
}
