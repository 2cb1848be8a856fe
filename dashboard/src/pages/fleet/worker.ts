import type { Item } from "../../api/routes.ts";

export type Worker = Item<"GET /workers">;

/** What people call it; a worker need not have said. */
export function nameOf({ name, id }: Pick<Worker, "name" | "id">): string {
  return name ?? `worker ${id.slice(-8)}`;
}
