// Lanes that another server has made. A lane is made right before its first task, and whoever made it does not know yet
// that somebody here listens to it: what it says of that task is lost. So a new lane is asked at once, and again when
// everybody must have heard that we listen. Without it the first task of a job would wait for the pulse.

import type { Clock } from "../ports/clock.ts";
import type { Catalog } from "./catalog.ts";

export interface NewLanes {
  stop(): void;
}

/** By then an announcement has gone round, on a busy machine too. */
const heardMs = 250;

export function newLanes(clock: Clock, catalog: Catalog, hint: (lanes: readonly number[]) => void): NewLanes {
  const known = new Set<number>();
  let waiting: number[] = [];
  let silence: (() => void) | null = null;

  function again(): void {
    silence = null;
    const lanes = waiting;
    waiting = [];
    hint(lanes);
  }

  catalog.onChange(({ lanes }) => {
    const fresh = lanes.map(({ id }) => id).filter((id) => !known.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) known.add(id);
    hint(fresh);
    waiting.push(...fresh);
    silence ??= clock.alarm(clock.now() + heardMs, again);
  });

  return {
    stop() {
      silence?.();
      silence = null;
    },
  };
}
