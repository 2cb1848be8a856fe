// The first few of many ordered sources: a heap of their heads, so that each item costs the logarithm of their number.

/** The next item, in order; undefined when there is none left. */
export type Source<T> = () => T | undefined;

interface Head<T> {
  item: T;
  readonly next: Source<T>;
}

export function firstOf<T>(sources: Iterable<Source<T>>, before: (a: T, b: T) => boolean, wanted: number): T[] {
  const found: T[] = [];
  if (wanted <= 0) return found;
  const heap = headsOf(sources);
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sink(heap, index, before);
  for (let head = heap[0]; head !== undefined; head = heap[0]) {
    found.push(head.item);
    if (found.length === wanted) break;
    const item = head.next();
    if (item !== undefined) head.item = item;
    else dropFirst(heap);
    sink(heap, 0, before);
  }
  return found;
}

function headsOf<T>(sources: Iterable<Source<T>>): Head<T>[] {
  const heads: Head<T>[] = [];
  for (const next of sources) {
    const item = next();
    if (item !== undefined) heads.push({ item, next });
  }
  return heads;
}

function dropFirst<T>(heap: Head<T>[]): void {
  const last = heap.pop() as Head<T>;
  if (heap.length > 0) heap[0] = last;
}

/** Moves the head at `index` down until none of the two below it comes before it. */
function sink<T>(heap: Head<T>[], index: number, before: (a: T, b: T) => boolean): void {
  const head = heap[index];
  if (head === undefined) return;
  let at = index;
  for (;;) {
    let next = 2 * at + 1;
    let below = heap[next];
    const right = heap[next + 1];
    if (below !== undefined && right !== undefined && before(right.item, below.item)) {
      below = right;
      next += 1;
    }
    if (below === undefined || !before(below.item, head.item)) break;
    heap[at] = below;
    at = next;
  }
  heap[at] = head;
}
