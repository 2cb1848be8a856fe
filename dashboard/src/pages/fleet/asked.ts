// What is shown, as a question to the server. It knows states and labels; what else is looked for is found here.

import type { Ask } from "../../api/routes.ts";
import type { Wanted } from "./groups.ts";
import { goneState } from "./standing.ts";

export const pageSize = 500;

export const fleetAsked: Ask<"GET /workers"> = { route: "GET /workers", query: { limit: pageSize } };

const states = { online: "ONLINE", unreachable: "UNREACHABLE", offline: "OFFLINE" } as const;

export function askedFor({ state, text }: Wanted): Ask<"GET /workers"> {
  const label = text.split(/\s+/).find((word) => /^[^=]+=[^=]+$/.test(word));
  const known = state in states ? { state: states[state as keyof typeof states] } : {};
  const gone = state === goneState ? ({ find_deleted: true, state: "DELETED" } as const) : {};
  return {
    route: "GET /workers",
    query: { limit: pageSize, ...known, ...gone, ...(label !== undefined && { label }) },
  };
}
