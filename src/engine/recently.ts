// Answers that cost something, for many who ask the same within a moment.

import type { Clock } from "../ports/clock.ts";

/**
 * What was answered under the same key not longer ago is answered again, and who asks meanwhile waits for the same answer,
 * however long it takes; a failure is nobody else's later.
 */
export type Recently<T> = (key: string, ask: () => Promise<T>) => Promise<T>;

const answersMax = 100;

export function recently<T>({ clock, ms }: { readonly clock: Pick<Clock, "now">; readonly ms: number }): Recently<T> {
  const answers = new Map<string, { at: number; readonly answer: Promise<T> }>();
  return (key, ask) => {
    const now = clock.now();
    const known = answers.get(key);
    if (known !== undefined && now - known.at < ms) return known.answer;
    const answer = ask();
    const asked = { at: Number.POSITIVE_INFINITY, answer };
    // Behind all others, so that the first is always the oldest.
    answers.delete(key);
    answers.set(key, asked);
    answer.then(
      () => {
        asked.at = clock.now();
      },
      () => answers.delete(key),
    );
    const [oldest] = answers.keys();
    if (answers.size > answersMax && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
