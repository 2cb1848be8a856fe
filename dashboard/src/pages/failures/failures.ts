import type { Answer, Item } from "../../api/routes.ts";

export type Failure = Item<"GET /failures">;
export type FailurePage = Answer<"GET /failures">;
