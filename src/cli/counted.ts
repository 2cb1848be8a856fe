/** "1,234 tasks", "1 fault". */
export function counted(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** A whole number as people read it. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
