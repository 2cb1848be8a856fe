// Where in JSON text a character stands, as a path; or where the text stops being JSON before that. Only refusals ask,
// so this reads with care instead of speed. It keeps its own stack: no nesting can overflow it.

export type JsonPlace =
  | { readonly kind: "value" | "key"; readonly path: readonly (string | number)[] }
  | { readonly kind: "fault"; readonly index: number };

/** The place of `target`; without one, of the first fault of text that is not JSON. */
export function placeIn(text: string, target = Number.POSITIVE_INFINITY): JsonPlace {
  const path: (string | number)[] = [];
  // A path's last step is a number inside an array, and a string inside an object.
  let next: "value" | "item" | "member" | "key" | "end" = "value";
  let i = space(text, 0);
  for (; i <= text.length; i = space(text, i)) {
    const mark = text[i];
    if ((next === "item" && mark === "]") || (next === "member" && mark === "}")) {
      path.pop();
      next = "end";
      i += 1;
    } else if (next === "end") {
      const step = path.at(-1);
      if (step === undefined) break;
      if (mark === ",") {
        if (typeof step === "number") path[path.length - 1] = step + 1;
        next = typeof step === "number" ? "value" : "key";
      } else if (mark === (typeof step === "number" ? "]" : "}")) path.pop();
      else break;
      i += 1;
    } else if (next === "member" || next === "key") {
      const end = stringEnd(text, i);
      if (target < Math.max(end, i + 1)) return { kind: "key", path: path.slice(0, -1) };
      const colon = space(text, end);
      if (end < 0 || text[colon] !== ":") return { kind: "fault", index: end < 0 ? ~end : colon };
      path[path.length - 1] = JSON.parse(text.slice(i, end)) as string;
      next = "value";
      i = colon + 1;
    } else {
      const end = mark === "{" || mark === "[" ? i + 1 : scalarEnd(text, i);
      if (target < Math.max(end, i + 1)) return { kind: "value", path };
      if (end < 0) return { kind: "fault", index: ~end };
      if (mark === "{" || mark === "[") path.push(mark === "{" ? "" : 0);
      next = mark === "{" ? "member" : mark === "[" ? "item" : "end";
      i = end;
    }
  }
  return { kind: "fault", index: i };
}

function space(text: string, start: number): number {
  let i = start;
  while (text[i] === " " || text[i] === "\n" || text[i] === "\r" || text[i] === "\t") i += 1;
  return i;
}

const scalar = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![0-9A-Za-z.+-])/y;

/** The index after the scalar, or the complement of the index where it goes wrong. */
function scalarEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  scalar.lastIndex = start;
  return scalar.test(text) ? scalar.lastIndex : ~start;
}

function stringEnd(text: string, start: number): number {
  if (text[start] !== '"') return ~start;
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '"') return i + 1;
    if (text.charCodeAt(i) < 0x20) return ~i;
    if (text[i] !== "\\") continue;
    if (text[i + 1] === "u" && !/^[0-9a-fA-F]{4}$/.test(text.slice(i + 2, i + 6))) return ~i;
    if (!'"\\/bfnrtu'.includes(text[i + 1] ?? "none")) return ~i;
    i += 1;
  }
  return ~text.length;
}
