// Waiting for something that happens outside of the test's hands, with a limit.

import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../server/system.ts";

/** Resolves as soon as the condition holds; rejects, naming it, when it has not come to pass within the limit. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, limitMs = 5_000): Promise<void> {
  const clock = systemClock();
  const end = clock.now() + limitMs;
  while (!(await condition())) {
    if (clock.now() > end) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await pause(2);
  }
}
