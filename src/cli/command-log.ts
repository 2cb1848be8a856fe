import { type ServerLog, serverLog } from "../server/log.ts";
import type { Config } from "../server/settings/settings.ts";
import { systemClock } from "../server/system.ts";

/** The log of a command that has words of its own for what goes well. */
export function commandLog(config: Pick<Config, "logFormat">): ServerLog {
  return serverLog({ level: "warn", format: config.logFormat, clock: systemClock() });
}
