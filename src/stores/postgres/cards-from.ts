// A claim reads the card of each task it takes from a table with a partition for every week. Opening all of them would
// cost more than the reading, and nearly every task is claimed within days of its making: so a claim looks into the
// recent weeks, and the card of an older task is read on its own.

import { uuid7Floor, uuid7Time } from "../../core/uuid7.ts";

export interface CardsFrom {
  /** The smallest id whose card is read along. */
  at(now: number): string;
  /** A task as old as this was claimed: for a while, look back as far. */
  reach(id: string, now: number): void;
}

const weekMs = 7 * 24 * 3_600_000;
const reachMs = 60_000;

export function cardsFrom(): CardsFrom {
  let oldest = Number.POSITIVE_INFINITY;
  let until = 0;
  return {
    at(now) {
      const recent = now - weekMs;
      return uuid7Floor(Math.max(0, now < until ? Math.min(recent, oldest) : recent));
    },
    reach(id, now) {
      oldest = now < until ? Math.min(oldest, uuid7Time(id)) : uuid7Time(id);
      until = now + reachMs;
    },
  };
}
