// Whether a JSON text holds a value at a place, in the words of a query: `input.user.id=7`.

export interface JsonPlace {
  /** Names of members, or numbers of items from 0. */
  readonly path: readonly string[];
  readonly value: string;
}

/** A text equals itself; numbers, truth values and null are compared as what they are, objects and lists equal nothing. */
export function matchesJson(text: string, { path, value }: JsonPlace): boolean {
  const found = valueAt(parsed(text), path);
  if (typeof found === "string") return found === value;
  if (typeof found === "number") return isNumeral(value) && Number(value) === found;
  return found === null || typeof found === "boolean" ? String(found) === value : false;
}

/**
 * A text that is in every JSON text that matches and has no backslash: in one that has none, texts stand as they are. Null
 * where there is no such text, because a number may be written in many ways.
 */
export function needleOf({ path, value }: JsonPlace): string | null {
  const isBare = isNumeral(value) || value === "true" || value === "false" || value === "null";
  if (!isBare) return isPlain(value) ? value : null;
  const name = path.findLast((each) => !/^\d+$/.test(each)) ?? "";
  return name !== "" && isPlain(name) ? name : null;
}

/** A text that is no JSON holds nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function valueAt(json: unknown, path: readonly string[]): unknown {
  let at = json;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    // The length of a list stands nowhere in its text.
    if (Array.isArray(at) && name === "length") return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function isNumeral(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** Written in JSON as it is, or with a backslash; a text of PostgreSQL could not be asked for anything else. */
function isPlain(text: string): boolean {
  return !/["\\\p{Cc}]/u.test(text) && text.isWellFormed();
}
