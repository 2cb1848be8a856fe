/** A time in a sentence, as people write it; whose clock shows something else is told which one is meant. */
export function timeText(at: number): string {
  const [day, time] = new Date(at).toISOString().split("T") as [string, string];
  return `${day} ${time.slice(0, 8)} UTC`;
}
