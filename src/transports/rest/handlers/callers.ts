import type { callerRoutes } from "../../../protocol/rest/caller-routes.ts";
import { type Handlers, json } from "../call.ts";

export const callerHandlers: Handlers<keyof typeof callerRoutes> = {
  getCaller: async ({ who: { user, role, rooms, jobs } }) => json(200, { user, role, rooms, jobs }),
};
