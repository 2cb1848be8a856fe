import { UsageError } from "./usage-error.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return uuid.test(text);
}

/** Throws a UsageError for what can be no id: it is a slip of the finger, and no server has to be asked. */
export function checkedId(text: string): string {
  if (!isId(text)) throw new UsageError(`"${text}" is not an id like 01993d6c-7a10-7000-8000-3f5b6c1d2e3f`);
  return text;
}
