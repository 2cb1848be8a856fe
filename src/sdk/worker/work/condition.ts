// How the worker's process is, as far as it has changed.

import { elapsedMs } from "../../system.ts";

const everyMs = 1_000;
const lagStepMs = 10;
const mebibyte = 1_048_576;

/** Answers JSON; null where nothing has changed, or it was asked a moment ago. */
export function condition(): () => string | null {
  let [at, used] = [elapsedMs(), process.cpuUsage()];
  let before = { cpuPercent: -1, ramBytes: -1, loopLagMs: -1 };
  let lagMs = 0;
  return () => {
    const now = elapsedMs();
    if (now - at < everyMs && before.ramBytes >= 0) return null;
    const { user, system } = process.cpuUsage(used);
    const cpuPercent = Math.round((user + system) / 10 / Math.max(1, now - at));
    // What changes by less is the same to whoever looks at it.
    const ramBytes = Math.round(process.memoryUsage.rss() / mebibyte) * mebibyte;
    const loopLagMs = Math.round(lagMs / lagStepMs) * lagStepMs;
    [at, used] = [now, process.cpuUsage()];
    // How long a timer waits for its turn is told with the next beat.
    setTimeout(() => {
      lagMs = Math.max(0, elapsedMs() - now - 1);
    }, 1).unref();
    const changed = {
      ...(cpuPercent !== before.cpuPercent && { cpuPercent }),
      ...(ramBytes !== before.ramBytes && { ramBytes }),
      ...(loopLagMs !== before.loopLagMs && { loopLagMs }),
    };
    before = { cpuPercent, ramBytes, loopLagMs };
    return Object.keys(changed).length === 0 ? null : JSON.stringify(changed);
  };
}
