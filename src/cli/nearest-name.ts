/** The name that was probably meant: at most two slips of the finger away, or begun but not finished. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const begun = typed.length >= 2 ? names.find((name) => name.startsWith(typed)) : undefined;
  if (begun !== undefined) return begun;
  const ranked = names
    .map((name) => ({ name, slips: slipsBetween(typed, name) }))
    .filter(({ name, slips }) => slips <= 2 && slips < name.length / 2)
    .sort((a, b) => a.slips - b.slips);
  return ranked[0]?.name;
}

/** Levenshtein's distance: letters added, dropped or changed. */
function slipsBetween(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}
