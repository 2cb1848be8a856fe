// What waits for a reader that is slower than what there is to read. Of one task only the newest word is kept, and of
// equal words one; so a pile grows with the number of tasks, not with what happens to them.

export interface News {
  /** JSON text of an array: the event's name, and its data. */
  readonly text: string;
  /** What is said anew under the same key replaces what was said before. */
  readonly key: string;
  /** Full name of the job of the task it is about; null where it is about none. */
  readonly job: string | null;
}

export interface Pile {
  /** False when it is full. */
  add(news: News): boolean;
  /** Everything, in order; the pile is empty then. */
  take(): News[];
  readonly size: number;
}

export function pile(sizeMax: number): Pile {
  const waiting = new Map<string, News>();
  return {
    add(news) {
      // The later word takes the later place.
      waiting.delete(news.key);
      if (waiting.size >= sizeMax) return false;
      waiting.set(news.key, news);
      return true;
    },
    take() {
      const all = [...waiting.values()];
      waiting.clear();
      return all;
    },
    get size() {
      return waiting.size;
    },
  };
}
