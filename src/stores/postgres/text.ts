// A text of PostgreSQL holds no NUL, and half a surrogate pair does not survive UTF-8. A worker's words may hold both, so
// such a text is kept as JSON behind a mark; every text goes through here on its way in and on its way out.

const mark = "\u0001";

export function storable(text: string): string {
  if (text.charCodeAt(0) !== 1 && !text.includes("\u0000") && text.isWellFormed()) return text;
  return mark + JSON.stringify(text);
}

export function restored(text: string): string {
  return text.charCodeAt(0) === 1 ? (JSON.parse(text.slice(1)) as string) : text;
}
