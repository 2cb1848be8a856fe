/**
 * Seconds to wait by a `Prefer` header: the first word `wait=` with digits after it, as the documents' server reads it;
 * zero when there is none.
 */
export function waitSeconds(prefer: string | undefined, most: number): number {
  return Math.min(askedSeconds(prefer) ?? 0, most);
}

/** The same without a limit; null when there is none. */
export function askedSeconds(prefer: string | undefined): number | null {
  const digits = prefer === undefined ? undefined : /(?<![\w-])wait=(\d+)/.exec(prefer)?.[1];
  return digits === undefined ? null : Number(digits);
}
