// How far marks at the side of a chart may be apart, smallest first, so that each says something whole.

/** 1, 2, 5, 10 … */
export const countSteps = powers(10, 14).flatMap((power) => [power, 2 * power, 5 * power]);

/** Half and twice of what people know: 64, 128, 256 MiB. */
export const byteSteps = powers(2, 50);

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

/** Of milliseconds: tens below a second, parts of an hour and of a day above. */
export const spanSteps = [
  ...countSteps.filter((step) => step < second),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...countSteps.slice(0, 12).map((days) => days * day),
];

function powers(of: number, length: number): number[] {
  return Array.from({ length }, (_, power) => of ** power);
}
