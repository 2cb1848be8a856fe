// What stands beside a command or an event, in a line: `by ada, note new kernel, until 3:27 PM`.

const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const textMax = 400;

/** Without what was told already. */
export function saidIn(data: unknown, told: readonly string[]): string {
  if (data === null || data === undefined) return "";
  if (typeof data !== "object") return plain(data);
  const parts = Object.entries(data)
    .filter(([name, value]) => value !== null && value !== undefined && !told.includes(name))
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${plain(value)}`);
  return parts.join(", ").slice(0, textMax);
}

function plain(value: unknown): string {
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  return moment.test(text) ? new Date(text).toLocaleString() : text;
}
