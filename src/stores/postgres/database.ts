// What every part of the store has at hand.

import type { Pool } from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { CardsFrom } from "./cards-from.ts";
import type { Floors } from "./floors.ts";
import type { Patience } from "./patience.ts";
import type { Strays } from "./strays.ts";

export interface Database extends Patience {
  readonly writers: Pool;
  readonly lookers: Pool;
  readonly readers: Pool;
  readonly pulses: Pool;
  readonly schema: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A number that is never given twice on this database, by no server. */
  nextTicket(): number;
  /** Exchanges under way: they look at the same tasks, so each looks at as many more. */
  readonly flights: { count: number };
  readonly strays: Strays;
  readonly cardsFrom: CardsFrom;
  readonly floors: Floors;
}
