import type { Answer } from "../../api/routes.ts";

export type System = Answer<"GET /system">;
