/**
 * Seconds to wait by a `Prefer` header: the first word `wait=` with digits after it, as the documents' server reads it;
 * zero when there is none.
 */
export function waitSeconds(prefer: string | undefined, most: number): number {
  const digits = prefer === undefined ? undefined : /(?<![\w-])wait=(\d+)/.exec(prefer)?.[1];
  return digits === undefined ? 0 : Math.min(Number(digits), most);
}
