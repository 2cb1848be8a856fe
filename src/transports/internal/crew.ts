// The executors that a server hears of. One that says nothing any more is gone, and with it whatever it was running; but
// nobody can be heard while RabbitMQ is away, or this server pauses, so that time does not count.

import type { Clock } from "../../ports/clock.ts";

export interface Crew {
  /** Answers whether there are more or fewer places than before. */
  heard(executor: string, about?: { readonly version: string; readonly places: number }): boolean;
  /** Of those who have this version of the jobs. */
  places(version: string): number;
  /** Takes those off the list who have been silent for too long, since they can be heard, and answers them. */
  silent(heardSince: number): readonly string[];
}

interface Known {
  readonly version: string | null;
  readonly places: number;
  readonly heardAt: number;
}

export function crew(clock: Clock, lostMs: number): Crew {
  const known = new Map<string, Known>();
  return {
    heard(executor, about) {
      const before = known.get(executor);
      const { version = null, places = 0 } = about ?? before ?? {};
      known.set(executor, { version, places, heardAt: clock.now() });
      return before?.version !== version || before.places !== places;
    },
    places(version) {
      const ours = [...known.values()].filter((each) => each.version === version);
      return ours.reduce((sum, { places }) => sum + places, 0);
    },
    silent(heardSince) {
      const since = clock.now() - lostMs;
      const gone = [...known].filter(([, { heardAt }]) => Math.max(heardAt, heardSince) <= since);
      for (const [executor] of gone) known.delete(executor);
      return gone.map(([executor]) => executor);
    },
  };
}
