// The terms of a query, as far as a page must know them: where each begins and ends, and which states are asked for. What they
// mean is the server's business.

export interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Separated by spaces, but not within quotes. */
export function piecesOf(query: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const found of query.matchAll(/(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g)) {
    pieces.push({ text: found[0], from: found.index, to: found.index + found[0].length });
  }
  return pieces;
}

/** What stands after `state:`; empty where nothing, or more than one thing, is said of it. */
export function stateIn(query: string): string {
  const said = piecesOf(query).filter(({ text }) => text.startsWith("state:"));
  return said.length === 1 ? (said[0]?.text.slice("state:".length) ?? "") : "";
}

/** The same query of another state; of all of them where that is empty. */
export function withState(query: string, state: string): string {
  const rest = piecesOf(query).flatMap(({ text }) => (/^-?state:/.test(text) ? [] : [text]));
  return [...rest, ...(state === "" ? [] : [`state:${state}`])].join(" ");
}

const finals = ["completed", "failed", "cancelled", "final"];

/** Those of the query to which it can be done. Nobody means to retry what went well unless they say so. */
export function actQuery(act: "cancel" | "retry", query: string): string {
  const said = stateIn(query).split(",");
  const isFinal = (state: string) => finals.includes(state);
  if (said[0] === "") return narrowed(query, act === "cancel" ? "state:open" : "state:failed");
  if (act === "cancel") return said.some(isFinal) ? narrowed(query, "state:open") : query;
  return said.every(isFinal) ? query : narrowed(query, "state:final");
}

function narrowed(query: string, term: string): string {
  return [query.trim(), term].filter((part) => part !== "").join(" ");
}

/** A value as it must be written. */
export function quoted(value: string): string {
  return /[\s",\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : value;
}

/** Where the server says the query cannot be read, counted from 0. */
export function placeIn(detail: string): number | null {
  const found = /at character (\d+)/.exec(detail);
  return found === null ? null : Number(found[1]) - 1;
}
