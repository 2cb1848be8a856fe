import type { Answer } from "../../api/routes.ts";

export const windows = ["15m", "1h", "6h", "24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

export type Pulse = Answer<"GET /pulse">;

const quarterMs = 15 * 60_000;

/** Whether all that is known of it fits into the shortest window: in a longer one it would be a cliff at the edge. */
export function isYoung({ points, now }: Pick<Pulse, "points" | "now">): boolean {
  const from = Date.parse(now) - quarterMs;
  return points
    .filter(({ at }) => Date.parse(at) < from)
    .every(
      ({ submitted, completed, failed, cancelled, lost }) => submitted + completed + failed + cancelled + lost === 0,
    );
}
