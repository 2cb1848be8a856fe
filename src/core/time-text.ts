// Times as people say them.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** About how long, in the largest unit that says something: "59 s", "3 min", "47 h", "2 d". */
export function roughSpan(ms: number): string {
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

/** A time in a sentence, as people write it; whose clock shows something else is told which one is meant. */
export function timeText(at: number): string {
  const [day, time] = new Date(at).toISOString().split("T") as [string, string];
  return `${day} ${time.slice(0, 8)} UTC`;
}

/** "3 min ago", "in 5 s", "now". The server's clock may be a little ahead of ours. */
export function timeAgo(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Math.abs(ms) < second) return "now";
  return ms > 0 ? `${roughSpan(ms)} ago` : `in ${roughSpan(-ms)}`;
}

/** How long something took: "850 ms", "1.2 s", "3 min 4 s", "2 h 5 min". */
export function spanText(ms: number): string {
  if (ms < second) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < minute) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ${Math.floor((ms % minute) / second)} s`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} min`;
  return `${Math.floor(ms / day)} d ${Math.floor((ms % day) / hour)} h`;
}

/** The time of day, to the millisecond, in UTC as everywhere. */
export function clockText(at: string): string {
  return at.slice(11, 23);
}
