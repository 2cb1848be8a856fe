import type { UseQueryResult } from "@tanstack/react-query";
import { useAsk } from "../../api/queries.ts";
import type { Answer, Ask, Item } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";

export type JobFigures = Item<"GET /jobs/statistics">;

export const windows = ["1h", "24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

/** The figures of a week change little in a moment, and take the server longer. */
const paceMs = { "1h": 3_000, "24h": 3_000, "7d": 15_000, "30d": 15_000 } as const satisfies Record<Window, number>;

export function useStatistics(window: Window, find = ""): UseQueryResult<Answer<"GET /jobs/statistics">, Error> {
  useRefresh(["tasks"], ["GET /jobs/statistics"], paceMs[window]);
  return useAsk(statisticsAsk(window, find));
}

export function statisticsAsk(window: Window, find = ""): Ask<"GET /jobs/statistics"> {
  return { route: "GET /jobs/statistics", query: { window, limit: 500, ...(find !== "" && { find }) } };
}
