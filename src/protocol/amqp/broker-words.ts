// What a broker, or the way to it, said when something went wrong: one sentence, for a line of a log.

/** The client begins a refusal with what was refused, and has no word for a login. */
const nameless = "undefined: ";

export function brokerWords(error: unknown): string {
  if (!(error instanceof Error)) return `${error}`;
  // Where several addresses were tried there is a code alone.
  const words = error.message || ("code" in error ? `${error.code}` : "");
  return words.startsWith(nameless) ? words.slice(nameless.length) : words;
}
