// Reads TypeScript just well enough to judge it: what is code, what is comment or string, and what is imported.

export type Import = {
  readonly from: string;
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean;
  /** True for `export … from`. */
  readonly reexport: boolean;
  readonly line: number;
};

export type Source = {
  /** The text with comments and the insides of strings and patterns blanked; every offset stays where it was. */
  readonly code: string;
  readonly imports: readonly Import[];
};

export function readSource(text: string): Source {
  const code = blankOut(text);
  return { code, imports: importsOf(text, code) };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

const statements = [
  { pattern: /\bimport\s+(type\s)?\s*([\w$*{][\w$*{},\s]*?)\s*\bfrom\s*["']/g, reexport: false },
  { pattern: /\bexport\s+(type\s)?\s*(\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)\s*from\s*["']/g, reexport: true },
  { pattern: /\bimport\s*()()["']/g, reexport: false },
  { pattern: /\bimport\s*\(\s*()()["'`]/g, reexport: false },
] as const;

function importsOf(text: string, code: string): Import[] {
  return statements.flatMap(({ pattern, reexport }) =>
    [...code.matchAll(pattern)].map((match) => {
      const start = match.index + match[0].length;
      const quote = text[start - 1] ?? '"';
      return {
        from: text.slice(start, text.indexOf(quote, start)),
        typeOnly: match[1] !== undefined && match[1] !== "" ? true : namesOnlyTypes(match[2] ?? ""),
        reexport,
        line: lineAt(text, match.index),
      };
    }),
  );
}

/** `{ type A, type B }` leaves nothing behind either. */
function namesOnlyTypes(clause: string): boolean {
  const names = /^\{([^}]*)\}$/.exec(clause.trim())?.[1];
  if (names === undefined) return false;
  const each = names.split(",").map((name) => name.trim());
  return each.some(Boolean) && each.every((name) => name === "" || name.startsWith("type "));
}

/** One pass over the text. `depths` remembers at which brace depth each open `${` of a template closes. */
function blankOut(text: string): string {
  const out: string[] = [];
  const depths: number[] = [];
  let depth = 0;
  let at = 0;
  const keep = (length: number) => {
    out.push(text.slice(at, at + length));
    at += length;
  };
  const blankTo = (end: number) => {
    out.push(text.slice(at, end).replace(/[^\n]/g, " "));
    at = end;
  };
  const template = () => {
    const piece = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y;
    piece.lastIndex = at;
    blankTo(at + (piece.exec(text)?.[0].length ?? 0));
    if (text[at] === "$") {
      depths.push(depth++);
      keep(2);
    } else keep(1);
  };
  while (at < text.length) {
    const char = text[at] ?? "";
    const literal = literalAt(text, at, out);
    if (literal?.kind === "comment") blankTo(literal.end);
    else if (literal !== undefined) {
      keep(1);
      blankTo(literal.end - 1);
      keep(1);
    } else if (char === "`") {
      keep(1);
      template();
    } else if (char === "}" && depths.at(-1) === depth - 1) {
      depth = depths.pop() ?? 0;
      keep(1);
      template();
    } else {
      if (char === "{") depth++;
      if (char === "}") depth--;
      keep(1);
    }
  }
  return out.join("");
}

const literals = [
  { kind: "comment", pattern: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y },
  { kind: "string", pattern: /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y },
  { kind: "pattern", pattern: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y },
] as const;

function literalAt(text: string, at: number, before: readonly string[]) {
  if (!"\"'/".includes(text[at] ?? " ")) return undefined;
  for (const { kind, pattern } of literals) {
    if (kind === "pattern" && !patternMayStart(before)) continue;
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length;
    if (length !== undefined) return { kind, end: at + length };
  }
  return undefined;
}

/** After a value a slash divides; anywhere else it opens a pattern. */
function patternMayStart(before: readonly string[]): boolean {
  const code = before.slice(-40).join("").trimEnd();
  return !/[\w$)\]}"'`]$/.test(code) || /\b(?:return|typeof|case|in|of|do|else|void|yield|await)$/.test(code);
}
