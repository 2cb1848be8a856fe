// A list that is always in order. It is kept in chunks, so that adding and removing shift a few hundred entries at
// most, however long the list is.

export type Compare<T> = (a: T, b: T) => number;

export interface SortedList<T> extends Iterable<T> {
  readonly size: number;
  first(): T | undefined;
  /** The item must not be in the list yet. */
  add(item: T): void;
  /** Removes the item that compares as equal, if there is one. */
  remove(item: T): void;
  /** Those that come after the item, which need not be in the list. */
  after(item: T): Iterable<T>;
  backwards(): Iterable<T>;
}

const chunkMax = 512;

export function sortedList<T>(compare: Compare<T>): SortedList<T> {
  const chunks: T[][] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    first: () => chunks[0]?.[0],
    add(item) {
      size += 1;
      const index = Math.min(chunkOf(chunks, item, compare), chunks.length - 1);
      const chunk = chunks[index];
      if (chunk === undefined) return void chunks.push([item]);
      chunk.splice(placeIn(chunk, item, compare), 0, item);
      if (chunk.length > chunkMax) chunks.splice(index + 1, 0, chunk.splice(chunkMax / 2));
    },
    remove(item) {
      const index = chunkOf(chunks, item, compare);
      const chunk = chunks[index];
      if (chunk === undefined) return;
      const place = placeIn(chunk, item, compare);
      if (compare(chunk[place] as T, item) !== 0) return;
      size -= 1;
      chunk.splice(place, 1);
      if (chunk.length === 0) chunks.splice(index, 1);
    },
    *after(item) {
      for (let index = chunkOf(chunks, item, compare); index < chunks.length; index += 1) {
        for (const other of chunks[index] as T[]) if (compare(other, item) > 0) yield other;
      }
    },
    *backwards() {
      for (let index = chunks.length - 1; index >= 0; index -= 1) yield* (chunks[index] as T[]).toReversed();
    },
    *[Symbol.iterator]() {
      for (const chunk of chunks) yield* chunk;
    },
  };
}

/** The first chunk that ends with the item or something after it. */
function chunkOf<T>(chunks: readonly T[][], item: T, compare: Compare<T>): number {
  return firstWhere(chunks.length, (index) => compare((chunks[index] as T[]).at(-1) as T, item) >= 0);
}

/** Where the item is, or would be. */
function placeIn<T>(chunk: readonly T[], item: T, compare: Compare<T>): number {
  return firstWhere(chunk.length, (index) => compare(chunk[index] as T, item) >= 0);
}

/** `holds` is false up to some index and true from there on. */
function firstWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first few that are wanted; looks no further once it has them. */
export function firstFew<T>(items: Iterable<T>, limit: number, wanted: (item: T) => boolean = () => true): T[] {
  const few: T[] = [];
  if (limit <= 0) return few;
  for (const item of items) {
    if (!wanted(item)) continue;
    few.push(item);
    if (few.length >= limit) break;
  }
  return few;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
