// Work that is done a slice at a time, so that nobody waits long.

/** What was found, and how much of it was moved; a number is both. */
type Slice = number | { readonly found: number; readonly moved: number };

/** Until one is not full. Where nothing of it moves, the next would be the same. */
export async function inSlices(run: () => Promise<Slice>, full: number): Promise<number> {
  for (let sum = 0; ; ) {
    const slice = await run();
    const { found, moved } = typeof slice === "number" ? { found: slice, moved: slice } : slice;
    sum += moved;
    if (found < full || moved === 0) return sum;
  }
}
