import { Counter, type Registry } from "prom-client";

/**
 * A counter for the hot path: plain sums that become a metric only when somebody asks.
 */
export function tally<K extends string>(
  name: string,
  help: string,
  label: string,
  kinds: readonly K[],
  registers: Registry[],
): (kind: K, count: number) => void {
  const sums = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<K, number>;
  new Counter({
    name,
    help,
    labelNames: [label],
    registers,
    collect() {
      this.reset();
      for (const kind of kinds) this.inc({ [label]: kind }, sums[kind]);
    },
  });
  return (kind, count) => {
    sums[kind] += count;
  };
}
