export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** `least` is the level asked for when the task was submitted, or null for no logs. */
export function isWanted(level: LogLevel, least: string | null): boolean {
  return least !== null && logLevels.indexOf(level) >= logLevels.indexOf(least as LogLevel);
}
