import type { Answer, Item } from "../../api/routes.ts";

export const windows = ["1h", "24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

export type Failure = Item<"GET /failures">;
export type FailurePage = Answer<"GET /failures">;
