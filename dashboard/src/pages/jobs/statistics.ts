import type { UseQueryResult } from "@tanstack/react-query";
import { useAsk } from "../../api/queries.ts";
import type { Answer, Item } from "../../api/routes.ts";

export type JobFigures = Item<"GET /jobs/statistics">;

export const windows = ["1h", "24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

export function useStatistics(window: Window, find = ""): UseQueryResult<Answer<"GET /jobs/statistics">, Error> {
  return useAsk({ route: "GET /jobs/statistics", query: { window, limit: 500, ...(find !== "" && { find }) } });
}
