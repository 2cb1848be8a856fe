// How often each fault has happened. One that did not hit what it was meant for does not count.

/** What a queue may lose, or hold that it should not. */
export const contentFaults = [
  "queue of tasks purged",
  "queue of operations purged",
  "queue of tasks deleted",
  "queue of operations deleted",
  "messages doubled and reordered",
  "unreadable messages",
] as const;

export const faultNames = [
  "broker went",
  "broker restarted in good order",
  "broker killed",
  "broker down for seconds",
  "broker down for a minute",
  "broker down when the server started",
  "broker down when a consumer started",
  "consumer killed before claim",
  "consumer killed after claim",
  "consumer killed after execute",
  "consumer killed before ack",
  "server killed between commit and publish",
  ...contentFaults,
  "long task, acknowledged when claimed",
  "long task, acknowledged when over",
] as const;
export type FaultName = (typeof faultNames)[number];

export interface Tally {
  hit(name: FaultName, times?: number): void;
  missed(name: FaultName): void;
  count(name: FaultName): number;
  lines(): readonly string[];
}

export function newTally(): Tally {
  const hits = new Map<FaultName, number>();
  const misses = new Map<FaultName, number>();
  const add = (map: Map<FaultName, number>, name: FaultName, times: number) =>
    map.set(name, (map.get(name) ?? 0) + times);
  return {
    hit: (name, times = 1) => void add(hits, name, times),
    missed: (name) => void add(misses, name, 1),
    count: (name) => hits.get(name) ?? 0,
    lines: () =>
      faultNames.map((name) => {
        const missed = misses.get(name) ?? 0;
        return `${String(hits.get(name) ?? 0).padStart(4)}  ${name}${missed > 0 ? ` (${missed} more did not hit)` : ""}`;
      }),
  };
}
