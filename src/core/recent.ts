/** Whether what was done then is not so long ago. What a clock that was set back says was done in its future is long ago. */
export function isRecent(at: number, now: number, ms: number): boolean {
  return at <= now && now - at < ms;
}
