// A store as a server far from it sees it: every call takes its time on the way there and on the way back, some are
// refused, and when its server dies nothing of it is heard again, whether what was under way had arrived or not.

import { Problem } from "../../core/problem.ts";
import type { Random } from "../../ports/random.ts";
import type { Store } from "../../ports/store.ts";

export interface UnsteadyStore {
  readonly store: Store;
  /** From now on calls take up to so many turns of the event loop each way, and this share of them is refused. */
  shake(turns: number, refused: number): void;
  /** Nothing is sent or answered any more. */
  die(): void;
}

export function unsteadyStore(store: Store, random: Random): UnsteadyStore {
  const never = new Promise<never>(() => {});
  let turns = 0;
  let refused = 0;
  let dead = false;

  async function travel(): Promise<void> {
    for (let left = Math.floor(random.fraction() * (turns + 1)); left > 0; left -= 1) await new Promise(setImmediate);
    if (dead) await never;
  }

  async function call<T>(work: () => Promise<T>): Promise<T> {
    await travel();
    if (random.fraction() < refused) throw new Problem("store-unavailable", "The simulated database is away");
    // An error travels as an answer does.
    const answer = await work().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    await travel();
    return answer();
  }

  return {
    shake(most, share) {
      turns = most;
      refused = share;
    },
    die() {
      dead = true;
    },
    store: {
      start: () => store.start(),
      stop: async () => {},
      submit: (calls) => call(() => store.submit(calls)),
      exchange: (writes, demands, now) => call(() => store.exchange(writes, demands, now)),
      amend: (scope, decide) => call(() => store.amend(scope, decide)),
      append: (lines) => call(() => store.append(lines)),
      beat: (beats) => call(() => store.beat(beats)),
      pulse: (node) => call(() => store.pulse(node)),
      confirm: (messages, at) => call(() => store.confirm(messages, at)),
      promote: (now, limit) => call(() => store.promote(now, limit)),
      prune: (slice) => call(() => store.prune(slice)),
      find: (kind, query) => call(() => store.find(kind, query)),
      read: (kind, query) => call(() => store.read(kind, query)),
      results: {
        get: (key, now) => call(() => store.results.get(key, now)),
        begin: (key, now, until) => call(() => store.results.begin(key, now, until)),
        put: (key, result, at, expiresAt) => call(() => store.results.put(key, result, at, expiresAt)),
        trim: (now, bytesMax) => call(() => store.results.trim(now, bytesMax)),
      },
      statistics: {
        add: (counted) => call(() => store.statistics.add(counted)),
        trim: (before) => call(() => store.statistics.trim(before)),
      },
    },
  };
}
