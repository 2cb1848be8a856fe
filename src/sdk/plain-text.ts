/** Text that every door and every database takes: well-formed, without NUL, and no longer than that. */
export function plainText(text: string, max: number): string {
  const short = text.length > max ? text.slice(0, max) : text;
  return short.toWellFormed().replaceAll("\u0000", "\ufffd");
}
