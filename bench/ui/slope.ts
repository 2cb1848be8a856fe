/** By how much values that came at even distances rise from one to the next: the line with the least squares. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  values.forEach((value, nth) => {
    above += (nth - middle) * (value - mean);
    below += (nth - middle) ** 2;
  });
  return below === 0 ? 0 : above / below;
}
