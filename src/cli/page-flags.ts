// The flags of commands that list things.

import type { Asking } from "./asking-command.ts";
import { UsageError } from "./usage-error.ts";

export const pageFlags = { limit: { type: "string" }, offset: { type: "string" } } as const;

export const pageUsage = [
  "  --limit N       how many at most; 50 unless said, no more than 500",
  "  --offset N      how many to leave out from the beginning",
];

/** As a query, with the flags of that name; those that were not given are left out. */
export function listQuery({ flags }: Pick<Asking, "flags">, names: readonly string[] = []): string {
  const query = new URLSearchParams();
  for (const name of names) {
    const value = flags[name];
    if (value !== undefined) query.set(name, String(value));
  }
  for (const [name, max] of [
    ["limit", 500],
    ["offset", Number.MAX_SAFE_INTEGER],
  ] as const) {
    const value = wholeNumber(flags, name, 0, max);
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

/** Throws a UsageError for what is none. */
export function wholeNumber(flags: Asking["flags"], name: string, min: number, max: number): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const value = /^[+-]?\d{1,16}$/.test(String(text)) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`--${name}: "${text}" is not a whole number from ${min} to ${max}`);
  }
  return value;
}
