// What is sent together, and what became of it.

/** What is sent together. */
export interface Parcel {
  readonly bodies: readonly string[];
  /** When it was written. */
  readonly at: number;
}

/** A parcel of which the broker has something. */
export interface Told<P extends Parcel> {
  readonly parcel: P;
  /** What it may not have. */
  readonly left: readonly string[];
}

/**
 * Why a parcel was passed over: something in it is never taken; what came after it was; or nothing was from there on, as
 * where the broker lets no more into its queue.
 */
export type Passing = "unfit" | "steppedOver" | "refused";

/** Messages in one batch. */
const batchMax = 500;

/** The first of them that fit: into one batch, and into the queue. One that never would fits into an empty queue. */
export function fitting<P extends Parcel>(parcels: readonly P[], free: number, isEmpty: boolean): readonly P[] {
  const most = Math.min(free, batchMax);
  let weight = 0;
  let count = 0;
  for (const { bodies } of parcels) {
    weight += bodies.length;
    if (weight > most) break;
    count += 1;
  }
  return parcels.slice(0, count === 0 && isEmpty ? 1 : count);
}

/** Those of which something was confirmed. */
export function toldOf<P extends Parcel>(batch: readonly P[], answers: readonly boolean[]): readonly Told<P>[] {
  let from = 0;
  return batch.flatMap((parcel) => {
    const mine = answers.slice(from, from + parcel.bodies.length);
    from += parcel.bodies.length;
    const left = parcel.bodies.filter((_, nth) => mine[nth] !== true);
    return left.length === parcel.bodies.length ? [] : [{ parcel, left }];
  });
}

/** Those of which all was. */
export function countWhole(told: readonly Told<Parcel>[]): number {
  return told.filter(({ left }) => left.length === 0).length;
}

/** Those of which nothing was, by why that may be. */
export function untaken<P extends Parcel>(
  batch: readonly P[],
  told: readonly Told<P>[],
  isNeverTaken: (body: string) => boolean,
): ReadonlyMap<Passing, readonly P[]> {
  const taken = new Set(told.map(({ parcel }) => parcel));
  const last = batch.findLastIndex((parcel) => taken.has(parcel));
  return Map.groupBy(
    batch.filter((parcel) => !taken.has(parcel)),
    (parcel) => (parcel.bodies.some(isNeverTaken) ? "unfit" : batch.indexOf(parcel) < last ? "steppedOver" : "refused"),
  );
}
