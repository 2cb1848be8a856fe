import { maskText } from "../server/mask.ts";

/** One line for a person: what went wrong, without secrets. */
export function faultText(error: unknown): string {
  return maskText(messageOf(error).replaceAll(/\s*\n\s*/g, " "));
}

/** A mistake of ours, not of the machine or its user: worth a stack. */
export function isBug(error: unknown): boolean {
  const bugs = [TypeError, ReferenceError, RangeError, SyntaxError];
  return !(error instanceof Error) || bugs.some((bug) => error instanceof bug) || error.name === "AssertionError";
}

function messageOf(error: unknown): string {
  // Where a name has several addresses, each fails in its own words and the whole in none.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  if (!(error instanceof Error)) return String(error);
  return error.message === "" ? error.name : error.message;
}
