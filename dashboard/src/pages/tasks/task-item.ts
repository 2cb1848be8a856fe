// Tasks as lists have them, and what else is asked about many at once.

import type { Answer, Item } from "../../api/routes.ts";

/** Payloads, results and details are left out. */
export type TaskItem = Item<"GET /tasks">;
export type TaskPage = Pick<Answer<"GET /tasks">, "items" | "next_cursor" | "scanned_through">;
export type TaskCount = Answer<"GET /tasks/count">;
export type Act = Answer<"GET /acts/{act_id}">;

export const pageRows = 100;
