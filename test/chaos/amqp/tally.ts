// How often each fault has happened, and how often it is to happen. One that did not hit what it was meant for does not count.

export const brokerFaults = [
  "broker restarted in good order",
  "broker killed",
  "broker down for seconds",
  "broker down for a minute",
  "broker down when the server started",
  "broker down when a consumer started",
] as const;

export const killFaults = [
  "consumer killed before claim, its message kept",
  "consumer killed before claim, its message acknowledged",
  "consumer killed after claim",
  "consumer of tasks killed after execute",
  "consumer of operations killed before it hands on",
  "consumer of operations killed before it counts",
  "consumer of tasks killed before ack",
  "consumer of operations killed before ack",
  "server killed between commit and publish of tasks",
  "server killed between commit and publish of operations",
] as const;

/** What a queue may lose, or hold that it should not. */
export const contentFaults = [
  "queue of tasks purged",
  "queue of operations purged",
  "queue of tasks deleted",
  "queue of operations deleted",
  "messages doubled and reordered",
  "unreadable messages",
] as const;

export const longFaults = ["long task, acknowledged when claimed", "long task, acknowledged when over"] as const;

export const faultNames = [...brokerFaults, ...killFaults, ...contentFaults, ...longFaults] as const;
export type FaultName = (typeof faultNames)[number];

export interface Size {
  /** Of each fault. */
  readonly rounds: number;
  /** Whether the broker is once away for a whole minute. */
  readonly minute: boolean;
  /** How it goes first, and every other time. */
  readonly how: "down" | "kill";
}

export interface Tally {
  hit(name: FaultName, times?: number): void;
  missed(name: FaultName): void;
  /** How often it is still to happen. */
  lacks(name: FaultName): number;
  lines(): readonly string[];
}

export function newTally(size: Size): Tally {
  const hits = new Map<FaultName, number>();
  const misses = new Map<FaultName, number>();
  const of = (map: Map<FaultName, number>, name: FaultName): number => map.get(name) ?? 0;
  return {
    hit: (name, times = 1) => void hits.set(name, of(hits, name) + times),
    missed: (name) => void misses.set(name, of(misses, name) + 1),
    lacks: (name) => Math.max(0, promised(name, size) - of(hits, name)),
    lines: () =>
      faultNames.map((name) => {
        const missed = of(misses, name);
        const suffix = missed > 0 ? ` (${missed} more did not hit)` : "";
        return `${String(of(hits, name)).padStart(4)} of ${promised(name, size)}  ${name}${suffix}`;
      }),
  };
}

/** How often a run of this size hits it, or fails. */
function promised(name: FaultName, { rounds, minute, how }: Size): number {
  switch (name) {
    case "broker killed":
      return how === "kill" ? Math.ceil(rounds / 2) : Math.floor(rounds / 2);
    case "broker restarted in good order":
      return how === "down" ? Math.ceil(rounds / 2) : Math.floor(rounds / 2);
    case "broker down for a minute":
      return minute ? 1 : 0;
    default:
      return rounds;
  }
}
