// ECMAScript's spelling of a regular expression (with the flag u) into RE2's. The source must be valid, so that each token
// is what it looks like. What has no counterpart throws.

/** White space and line ends as ECMAScript sees them; RE2 knows only those of ASCII. */
const space = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const notSpace = [
  String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}`,
  String.raw`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`,
].join("");
const notLineEnd = String.raw`[^\n\r\x{2028}\x{2029}]`;
const everything = String.raw`\x{0}-\x{10ffff}`;

const escapes = [
  String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`,
  String.raw`\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\[\s\S]`,
].join("|");

export function linearSource(source: string): string {
  const outside = new RegExp(String.raw`${escapes}|\[\^?\]|\(\?<[^=!][^>]*>|\(\?:|\(\?|[\s\S]`, "uy");
  const inside = new RegExp(String.raw`${escapes}|[\s\S]`, "uy");
  let inClass = false;
  let out = "";
  for (let at = 0; at < source.length; ) {
    const tokens = inClass ? inside : outside;
    tokens.lastIndex = at;
    const token = tokens.exec(source)?.[0] ?? "";
    at = tokens.lastIndex;
    if (token.startsWith("\\")) out += escapeFor(token, inClass);
    else out += inClass ? classToken(token) : plainToken(token);
    if (token === (inClass ? "]" : "[")) inClass = !inClass;
  }
  return out;
}

function plainToken(token: string): string {
  if (token === ".") return notLineEnd;
  if (token === "[]") return `[^${everything}]`;
  if (token === "[^]") return `[${everything}]`;
  if (token === "(?") throw new Error("has a group that is not supported");
  // Nothing refers back to a group, so that none needs to be remembered.
  return token.startsWith("(") ? "(?:" : token;
}

/** In RE2 a bracket within a class may open a class of POSIX. */
function classToken(token: string): string {
  return token === "[" ? "\\[" : token;
}

function escapeFor(token: string, inClass: boolean): string {
  const kind = token[1] as string;
  if (kind === "s" || kind === "S") {
    const set = kind === "s" ? space : notSpace;
    return inClass ? set : `[${set}]`;
  }
  if (kind === "u") return hex(codeOf(token));
  if (kind === "c") return hex(token.charCodeAt(2) % 32);
  if (kind === "0") return hex(0);
  if (kind === "b" && inClass) return hex(8);
  if (kind === "/") return "/";
  if (kind === "p" || kind === "P") return token.replace(/\{(?:Script|sc|General_Category|gc)=/, "{");
  if (kind === "k" || (kind >= "1" && kind <= "9")) throw new Error("refers back to a group");
  return token;
}

function codeOf(token: string): number {
  const [high = "", low] = token.split("\\u").slice(1);
  if (low !== undefined)
    return 0x10000 + (Number.parseInt(high, 16) - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00);
  return Number.parseInt(high.replace("{", ""), 16);
}

function hex(code: number): string {
  return `\\x{${code.toString(16)}}`;
}
