// How durations are written. A variable whose name ends in _SECONDS takes plain seconds, one in _MS milliseconds; any
// other takes a number with a unit, or milliseconds.

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** In whole milliseconds; undefined for a text that is no duration. */
export function parseDuration(text: string, variable: string): number | undefined {
  if (variable.endsWith("_SECONDS")) return /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1_000) : undefined;
  if (/^\d+$/.test(text)) return Number(text);
  if (variable.endsWith("_MS")) return undefined;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * units[unit as keyof typeof units]);
}

/** As the variable would take it, in the largest unit that fits. */
export function durationText(ms: number, variable: string): string {
  if (variable.endsWith("_SECONDS")) return `${ms / 1_000}`;
  if (variable.endsWith("_MS") || ms === 0) return `${ms}`;
  const [unit, size] = Object.entries(units).findLast(([, each]) => ms % each === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
