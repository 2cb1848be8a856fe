let latest = { at: 0, text: "1970-01-01T00:00:00.000Z" };

/** UTC with milliseconds and `Z`. Times of one answer are mostly the same, so the latest one is remembered. */
export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  if (at === null) return null;
  if (at !== latest.at) latest = { at, text: new Date(at).toISOString() };
  return latest.text;
}
