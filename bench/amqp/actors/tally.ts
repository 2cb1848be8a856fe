// How the processes of these measurements begin, and tell how far they are.

import type { Ended, Loaded, Ready, WorkerOrder } from "../../compare/work-words.ts";
import { monotonicMs } from "../../live/monotonic.ts";
import { onTold, say } from "../../live/stage-door.ts";

/** Often enough to end on time, and too seldom to count. */
const tellMs = 20;

/** Its code is loaded; resolves when it is told to go. */
export async function untilTold(): Promise<void> {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  onTold<WorkerOrder>(() => resolve());
  say<Loaded>({ kind: "loaded" });
  await begun;
}

export interface Tally {
  /** One more is done. */
  done(): void;
  /** Says that it is ready, and from then on, now and then, how many are done. */
  tell(): void;
}

export function tally(): Tally {
  let done = 0;
  let said = 0;
  let lastAt = 0;
  return {
    done() {
      done += 1;
      lastAt = monotonicMs();
    },
    tell() {
      say<Ready>({ kind: "ready" });
      setInterval(() => {
        if (done === said) return;
        said = done;
        say<Ended>({ kind: "ended", tasks: done, at: lastAt });
      }, tellMs).unref();
    },
  };
}
