// The last beats of a worker, as this server heard them: for whoever wants to see whether it beats evenly. A server hears
// of thousands of workers every second, so a trail is a few numbers in places that are used again.

/** What a worker said of itself along with a beat; null where it did not. */
export interface BeatMeasures {
  readonly loopLagMs: number | null;
  readonly cpuPercent: number | null;
  readonly ramBytes: number | null;
}

export interface HeardBeat extends BeatMeasures {
  readonly at: number;
  /** Since the one before; null for the first that was heard. */
  readonly gapMs: number | null;
}

export interface BeatTrail {
  heard(at: number): void;
  /** Said with the beat that was heard last. */
  described(measures: BeatMeasures): void;
  /** The oldest first. */
  beats(): HeardBeat[];
}

export const trailLength = 60;
/** One more, by which the gap of the oldest that is shown is known. */
const places = trailLength + 1;
/** A busy worker speaks more often than it beats; what follows so soon is the same sign of life. */
const apartMs = 250;
const measures = ["loopLagMs", "cpuPercent", "ramBytes"] as const satisfies readonly (keyof BeatMeasures)[];

export function beatTrail(): BeatTrail {
  const times = new Float64Array(places);
  // Many workers never say how they are.
  let said: Float64Array | null = null;
  let count = 0;

  const place = (nth: number): number => nth % places;

  function clear(nth: number): void {
    said?.fill(Number.NaN, place(nth) * measures.length, (place(nth) + 1) * measures.length);
  }

  function measure(nth: number, which: number): number | null {
    const value = said?.[place(nth) * measures.length + which] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }

  function beat(nth: number): HeardBeat {
    const at = times[place(nth)] as number;
    const gapMs = nth === 0 ? null : at - (times[place(nth - 1)] as number);
    const [loopLagMs, cpuPercent, ramBytes] = [measure(nth, 0), measure(nth, 1), measure(nth, 2)];
    return { at, gapMs, loopLagMs, cpuPercent, ramBytes };
  }

  return {
    heard(at) {
      if (count > 0 && at - (times[place(count - 1)] as number) < apartMs) return;
      times[place(count)] = at;
      clear(count);
      count += 1;
    },
    described(condition) {
      if (count === 0) return;
      said ??= new Float64Array(places * measures.length).fill(Number.NaN);
      for (const [which, name] of measures.entries()) {
        const value = condition[name];
        if (value !== null) said[place(count - 1) * measures.length + which] = value;
      }
    },
    beats() {
      const from = Math.max(0, count - trailLength);
      return Array.from({ length: count - from }, (_, index) => beat(from + index));
    },
  };
}
