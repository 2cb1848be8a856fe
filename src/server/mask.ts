// Keeps secrets out of what is printed: logs, and the listing of settings.

const hidden = "***";

/** A URL without its password; any other text wholly hidden. */
export function maskSecret(text: string): string {
  return URL.canParse(text) && text.includes("//") ? maskUrl(text) : hidden;
}

/** The text with the passwords of all URLs and all tokens in it hidden. */
export function maskText(text: string): string {
  if (!mayHoldSecret.test(text)) return text;
  return text
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi, maskUrl)
    .replace(/\b(bearer[ .])[\w.~+/=-]+/gi, `$1${hidden}`)
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, hidden)
    .replace(/\blh[cs]?_[\w-]{20,}/g, hidden);
}

/** Most lines hold none; this look is cheap. */
const mayHoldSecret = /:\/\/|bearer[ .]|eyJ|lh[cs]?_/i;

// Up to the last @ before the path: a password may hold one itself.
const userinfo = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i;
const secretParameter = /([?&#](?:password|sslpassword|token|secret|access_token|code)=)[^&#]*/gi;

function maskUrl(url: string): string {
  const masked = url.replace(userinfo, (_, scheme: string, user: string) => {
    const colon = user.indexOf(":");
    return colon < 0 ? `${scheme}${user}@` : `${scheme}${user.slice(0, colon)}:${hidden}@`;
  });
  return masked.replace(secretParameter, `$1${hidden}`);
}

const secretKey = /(token|secret|password|authorization|cookie|api_?key)$/i;

/** How deep fields are looked into; what lies deeper is not printed. */
const depthMax = 6;
const itemsMax = 100;

/** A copy of log fields in which every secret is hidden, by the name of its key or by its looks. */
export function maskFields(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth >= depthMax) return "…";
  if (value instanceof Error) return maskError(value, depth);
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => maskFields(item, depth + 1));
  return maskMembers(value, depth);
}

function maskMembers(value: object, depth: number): unknown {
  const plain = "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON() : value;
  if (typeof plain !== "object" || plain === null) return maskFields(plain, depth + 1);
  const members = Object.entries(plain).slice(0, itemsMax);
  return Object.fromEntries(
    members.map(([key, member]) => [
      key,
      secretKey.test(key) && member != null ? hidden : maskFields(member, depth + 1),
    ]),
  );
}

function maskError(error: Error, depth: number): unknown {
  const { name, message, stack, cause } = error;
  const code = "code" in error ? { code: error.code } : {};
  const told = { name, message, ...code, stack, ...(cause === undefined ? {} : { cause }) };
  return maskMembers(told, depth);
}
