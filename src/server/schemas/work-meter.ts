// A small schema can ask for endless work: references that double at each step, long lists of names against long lists of
// objects, patterns against megabytes. Whatever costs more than a constant pays here before it is done, in units of very
// roughly ten nanoseconds, and a check that cannot pay ends.

export interface WorkMeter {
  spend(units: number): void;
  /** Allows this much work from now on. */
  allow(units: number): void;
}

export class TooMuchWork extends Error {}

export function workMeter(): WorkMeter {
  let left = 0;
  return {
    spend(units) {
      left -= units;
      if (left < 0) throw new TooMuchWork("The check takes too much work");
    },
    allow(units) {
      left = units;
    },
  };
}
