// Payloads are kept with all digits of their numbers, and a script counts with some seventeen. What would be rounded
// is kept as it was written: it is shown so, and sent so when its task is submitted again.

interface Source {
  readonly source: string;
}

/** Not every browser has it yet: there numbers are rounded, as scripts do. */
const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };

export function parseExactly(text: string): unknown {
  if (rawJSON === undefined) return JSON.parse(text);
  const revive = (_: string, value: unknown, context?: Source): unknown =>
    typeof value === "number" && context !== undefined && isRounded(value, context.source)
      ? rawJSON(context.source)
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** For whoever has to count: forms, and what checks a value against its schema. */
export function asCounted(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Whether nothing of it is lost by counting with it. */
export function isCountable(value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(asCounted(value));
}

/** Whether it would be written as another number than it was. */
function isRounded(value: number, source: string): boolean {
  return canonical(String(value)) !== canonical(source);
}

/** The same text for the same number: `1.50e3` and `1500` are `15e2`. */
function canonical(text: string): string {
  const [, sign = "", whole = "", part = "", power = "0"] = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + part).replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return whole === "" ? text : "0";
  return `${sign}${short}e${Number(power) - part.length + digits.length - short.length}`;
}
