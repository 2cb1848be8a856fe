// A line of the log for people: `12:00:01.234 warn  The bus dropped messages count=3`.

/** From one JSON line to one or more lines of text. */
export function textLine(json: string): string {
  const { time, level, message, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const stacks: string[] = [];
  const told = Object.entries(fields).map(([key, value]) => {
    const stack = stackOf(value);
    if (stack !== null) stacks.push(`\n${stack}`);
    return ` ${key}=${stack === null ? fieldText(value) : fieldText((value as { message?: unknown }).message)}`;
  });
  return `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${message ?? ""}${told.join("")}${stacks.join("")}\n`;
}

function stackOf(value: unknown): string | null {
  const stack = typeof value === "object" && value !== null && "stack" in value ? value.stack : null;
  return typeof stack === "string" ? stack : null;
}

function fieldText(value: unknown): string {
  return typeof value === "string" && /^[\w.:/@+*-]+$/.test(value) ? value : JSON.stringify(value);
}
