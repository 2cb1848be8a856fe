/** For a terminal: what others have written may hold what a terminal takes for an order. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => (/\s/.test(character) ? " " : "?"));
}
