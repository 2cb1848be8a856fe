// The kinds of settings: how a text becomes a value, and how to say what would have been allowed.

import { parseDuration } from "./duration.ts";

export type KindName =
  | "text"
  | "file"
  | "integer"
  | "bytes"
  | "duration"
  | "boolean"
  | "list"
  | "choice"
  | "url"
  | "json";

/** A default that follows another setting by a factor, unless it is set itself. */
export interface Derived {
  readonly from: string;
  readonly times: number;
}

export interface Setting<T> {
  readonly kind: KindName;
  /** The variable that wins first; its name also makes the flag. */
  readonly variables: readonly [string, ...string[]];
  readonly default: T | Derived;
  readonly help: string;
  /** Never printed. */
  readonly secret: boolean;
  /** Undefined for a text that is none. How a number is meant may depend on the variable's name. */
  parse(text: string, variable: string): T | undefined;
  /** What `parse` takes, in words. */
  allowed(variable: string): string;
}

interface About<T> {
  readonly env: string | readonly [string, ...string[]];
  readonly default: T;
  readonly help: string;
  readonly secret?: true;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

type Reading<T> = Pick<Setting<T>, "kind" | "parse" | "allowed">;

export function text<T extends string | null>(about: About<T>): Setting<string | T> {
  return setting<string | T>(about, { kind: "text", parse: (given) => given, allowed: () => "any text" });
}

export function file<T extends string | null>(about: About<T>): Setting<string | T> {
  return setting<string | T>(about, { kind: "file", parse: (given) => given, allowed: () => "a path" });
}

export function integer<T extends number | null>(about: About<T> & Range): Setting<number | T> {
  return setting<number | T>(about, {
    kind: "integer",
    parse: (given) => within(/^\d+$/.test(given) ? Number(given) : undefined, about),
    allowed: () => `a whole number from ${about.min} to ${about.max}`,
  });
}

const byteUnits = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

export function bytes(about: About<number> & Range): Setting<number> {
  return setting<number>(about, {
    kind: "bytes",
    parse(given) {
      const [, digits, unit] = /^(\d+) ?(|KiB|MiB|GiB)$/.exec(given) ?? [];
      return within(digits && Number(digits) * byteUnits[unit as keyof typeof byteUnits], about);
    },
    allowed: () => `a number of bytes from ${about.min} to ${about.max}, or like 512KiB, 4MiB`,
  });
}

type DurationAbout<D> = Omit<About<D>, "default"> & Partial<Range> & { readonly default: D };

/** Milliseconds as a value. `min` is 1 ms unless said otherwise. */
export function duration(about: DurationAbout<number | Derived>): Setting<number>;
export function duration(about: DurationAbout<null>): Setting<number | null>;
export function duration(about: DurationAbout<number | Derived | null>): Setting<number | null> {
  const range = { min: about.min ?? 1, max: about.max ?? durationMax };
  return setting<number | null>(about, {
    kind: "duration",
    parse: (given, variable) => within(parseDuration(given, variable), range),
    allowed: (variable) => durationForm(variable) + durationRange(variable, range),
  });
}

/** A century: nobody means more. */
const durationMax = 36_525 * 24 * 3_600_000;

function durationForm(variable: string): string {
  if (variable.endsWith("_SECONDS")) return "a number of seconds";
  if (variable.endsWith("_MS")) return "a whole number of milliseconds";
  return "a duration like 500ms, 30s, 5m, 24h or 7d, or milliseconds";
}

function durationRange(variable: string, { min, max }: Range): string {
  const unit = variable.endsWith("_SECONDS") ? 1_000 : 1;
  const plain = unit === 1 && !variable.endsWith("_MS") ? " ms" : "";
  return max === durationMax ? `, at least ${min / unit}${plain}` : `, from ${min / unit} to ${max / unit}${plain}`;
}

const words = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

export function boolean(about: About<boolean>): Setting<boolean> {
  return setting<boolean>(about, {
    kind: "boolean",
    parse: (given) => words.get(given.toLowerCase()),
    allowed: () => "true or false",
  });
}

export function list<T extends readonly string[] | null>(about: About<T>): Setting<readonly string[] | T> {
  return setting<readonly string[] | T>(about, {
    kind: "list",
    parse: parseList,
    allowed: () => 'a JSON list of texts, or texts with commas between them: ["a","b"] or a,b',
  });
}

/** Undefined for a text that is none. */
export function parseList(given: string): readonly string[] | undefined {
  return given.startsWith("[") ? jsonList(given) : commaList(given);
}

function commaList(given: string): readonly string[] {
  const parts = given.split(",").map((part) => part.trim());
  return Object.freeze(parts.filter((part) => part !== ""));
}

function jsonList(given: string): readonly string[] | undefined {
  const value = parseJson(given);
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "");
  return isList ? Object.freeze(value as string[]) : undefined;
}

export function choice<const C extends string>(
  about: About<NoInfer<C>> & { readonly choices: readonly C[] },
): Setting<C> {
  return setting<C>(about, {
    kind: "choice",
    parse: (given) => about.choices.find((one) => one === given),
    allowed: () => about.choices.join(", "),
  });
}

export function url(about: About<string | null> & { readonly protocols: readonly string[] }): Setting<string | null> {
  const allowed = `a URL that begins with ${about.protocols.map((protocol) => `${protocol}//`).join(" or ")}`;
  return setting<string | null>(about, {
    kind: "url",
    parse: (given) => (about.protocols.includes(URL.parse(given)?.protocol ?? "") ? given : undefined),
    allowed: () => allowed,
  });
}

export function json<T>(
  about: About<T> & { readonly check: (value: unknown) => value is T; readonly allowed: string },
): Setting<T> {
  return setting<T>(about, {
    kind: "json",
    parse(given) {
      const value = parseJson(given);
      return about.check(value) ? Object.freeze(value) : undefined;
    },
    allowed: () => about.allowed,
  });
}

function setting<T>(
  about: Omit<About<unknown>, "default"> & { readonly default: T | Derived },
  reading: Reading<T>,
): Setting<T> {
  const variables = typeof about.env === "string" ? ([about.env] as const) : about.env;
  const { help, secret = false } = about;
  const common = { kind: reading.kind, variables, default: about.default, help, secret };
  if (about.default !== null) return { ...common, parse: reading.parse, allowed: reading.allowed };
  return {
    ...common,
    parse: (given, variable) => (given === "none" ? (null as T) : reading.parse(given, variable)),
    allowed: (variable) => `${reading.allowed(variable)}, or none`,
  };
}

function within(value: number | "" | undefined, { min, max }: Range): number | undefined {
  return typeof value === "number" && value >= min && value <= max ? value : undefined;
}

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}
