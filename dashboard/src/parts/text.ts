// Figures and times for people. Payloads are never formatted here: they are shown as they are.

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function count(value: number): string {
  return value < 100_000 ? whole.format(value) : compact.format(value);
}

/** Nothing and all are said of nothing and all alone: four failures in ten thousand are not 100 %, nor 0 %. */
export function percent(share: number | null): string {
  if (share === null) return "–";
  const value = share * 100;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  if (value > 99 && value < 100) return `${(Math.floor(value * 10) / 10).toFixed(1)} %`;
  return `${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** Two units at most: nobody reads more. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const at = units.findIndex(([, size]) => ms >= size);
  const [unit, size] = units[at] ?? ["s", 1_000];
  const smaller = units[at + 1];
  const rest = smaller ? Math.floor((ms % size) / smaller[1]) : 0;
  return `${Math.floor(ms / size)} ${unit}${smaller && rest > 0 ? ` ${rest} ${smaller[0]}` : ""}`;
}

export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (ms < -1_000) return `in ${duration(-ms)}`;
  if (ms < 1_000) return "now";
  // Whole seconds: what is read at a glance need not flicker.
  const text = ms < 10_000 ? `${Math.floor(ms / 1_000)} s` : duration(ms);
  return `${text.split(" ").slice(0, 2).join(" ")} ago`;
}

/** How long it has lasted, in whole seconds: what is read at a glance need not flicker. */
export function howLong(since: string, now: number): string {
  const ms = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000) * 1_000);
  return ms < 10_000 ? `${ms / 1_000} s` : duration(ms);
}

/** A moment by the clock of whoever reads it, with its day unless that is today. */
export function clockTime(time: string, now: number): string {
  const at = new Date(time);
  const isToday = at.toDateString() === new Date(now).toDateString();
  return isToday ? at.toLocaleTimeString() : at.toLocaleString();
}

const moment = /(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?Z| (\d\d:\d\d:\d\d) UTC)/g;

/** Moments that the server writes into its sentences, and into what programs read, by the clock of whoever reads them. */
export function byOurClock(text: string, now: number): string {
  return text.replaceAll(moment, (_, day, time, spoken) => clockTime(`${day}T${time ?? spoken}Z`, now));
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const steps = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = value < 1 ? 0 : Math.min(steps.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1_024 ** step;
  return `${scaled < 10 && step > 0 ? scaled.toFixed(1) : Math.round(scaled)} ${steps[step]}`;
}

/** The first part of a UUID is its time: the last one tells two apart. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
