/** Whether a line of the log has these words. */
export function said(log: { readonly lines: readonly { readonly message: string }[] }, words: string): boolean {
  return log.lines.some(({ message }) => message.includes(words));
}
