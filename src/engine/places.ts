// Places in the line, counted for whoever asks at the same moment. Tasks that came together mostly stand together: where
// the first and the last of them are as far apart as there are tasks, nobody has to count for those in between.

import type { Store } from "../ports/store.ts";
import type { LinePlace, Position } from "../ports/store-reads.ts";

export interface Places {
  /** Rank in claim order among the ready tasks of these lanes, as the store counts it. */
  of(asked: LinePlace): Promise<Position>;
}

interface Asking {
  resolve(place: Position): void;
  reject(error: unknown): void;
}

/** Tasks of one job and rank, so that their ids say who is ahead of whom. */
interface Line extends Omit<LinePlace, "id"> {
  readonly asking: Map<string, Asking[]>;
}

export function places(store: Pick<Store, "read">): Places {
  const counted = together(store);
  let lines = new Map<string, Line>();

  function lineOf({ rank, lanes }: LinePlace): Line {
    // Callers of one commit go on one after the other; the last of them has asked before this is run.
    if (lines.size === 0) queueMicrotask(countAll);
    // A lane is of one job, so the first one stands for all of them.
    const key = `${rank} ${lanes[0]} ${lanes.length}`;
    const line = lines.get(key) ?? { rank, lanes, asking: new Map() };
    lines.set(key, line);
    return line;
  }

  function countAll(): void {
    const counting = lines;
    lines = new Map();
    for (const line of counting.values()) void count(line);
  }

  async function count({ rank, lanes, asking }: Line): Promise<void> {
    const ids = [...asking.keys()].sort();
    try {
      const found = await placesOf(ids, (id) => counted({ id, rank, lanes }));
      for (const [nth, id] of ids.entries())
        for (const { resolve } of asking.get(id) ?? []) resolve(found[nth] as Position);
    } catch (error) {
      for (const each of asking.values()) for (const { reject } of each) reject(error);
    }
  }

  return {
    of: (asked) =>
      new Promise((resolve, reject) => {
        const { asking } = lineOf(asked);
        const others = asking.get(asked.id);
        if (others === undefined) asking.set(asked.id, [{ resolve, reject }]);
        else others.push({ resolve, reject });
      }),
  };
}

/** Whatever is asked for at the same moment is asked of the store at once: a page of tasks stands in many lines. */
function together(store: Pick<Store, "read">): (asked: LinePlace) => Promise<Position> {
  let waiting: (Asking & { readonly asked: LinePlace })[] = [];

  async function ask(): Promise<void> {
    const all = waiting;
    waiting = [];
    try {
      const found = await store.read("positions", { asked: all.map(({ asked }) => asked) });
      for (const [nth, { resolve }] of all.entries()) resolve(found[nth] as Position);
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(() => void ask());
      waiting.push({ asked, resolve, reject });
    });
}

/** `ids` are in order. Halves the gaps until what lies between two that were counted is sure. */
async function placesOf(ids: readonly string[], count: (id: string) => Promise<Position>): Promise<Position[]> {
  const found: Position[] = [];
  const last = ids.length - 1;
  const look = async (nth: number): Promise<void> => {
    found[nth] = await count(ids[nth] as string);
  };

  async function fill(low: number, high: number): Promise<void> {
    const [first, end] = [found[low] as Position, found[high] as Position];
    if (high - low < 2) return;
    const together = end.exact && end.position - first.position === high - low;
    // Whoever comes after a task that is too far behind to be counted is too.
    if (together || !first.exact) {
      for (let nth = low + 1; nth < high; nth += 1) {
        found[nth] = together ? { position: first.position + nth - low, exact: true } : first;
      }
      return;
    }
    const middle = (low + high) >> 1;
    await look(middle);
    await Promise.all([fill(low, middle), fill(middle, high)]);
  }

  await look(0);
  if (found[0]?.exact === false) return ids.map(() => found[0] as Position);
  if (last > 0) await look(last);
  await fill(0, last);
  return found;
}
