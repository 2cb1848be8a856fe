// How the worker's process is, as far as it has changed.

import { elapsedMs } from "../../system.ts";

const everyMs = 1_000;
const mebibyte = 1_048_576;

/** Answers JSON; null where nothing has changed, or it was asked a moment ago. */
export function condition(): () => string | null {
  let [at, used] = [elapsedMs(), process.cpuUsage()];
  let before = { cpuPercent: -1, ramBytes: -1 };
  return () => {
    const now = elapsedMs();
    if (now - at < everyMs && before.ramBytes >= 0) return null;
    const { user, system } = process.cpuUsage(used);
    const cpuPercent = Math.round((user + system) / 10 / Math.max(1, now - at));
    // What changes by less is the same to whoever looks at it.
    const ramBytes = Math.round(process.memoryUsage.rss() / mebibyte) * mebibyte;
    [at, used] = [now, process.cpuUsage()];
    const changed = {
      ...(cpuPercent !== before.cpuPercent && { cpuPercent }),
      ...(ramBytes !== before.ramBytes && { ramBytes }),
    };
    before = { cpuPercent, ramBytes };
    return Object.keys(changed).length === 0 ? null : JSON.stringify(changed);
  };
}
