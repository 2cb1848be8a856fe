import type { Answer } from "../../api/routes.ts";

export const windows = ["15m", "1h", "6h", "24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

export type Pulse = Answer<"GET /pulse">;
