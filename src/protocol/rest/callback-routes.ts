import Type from "typebox";
import { CallbackAnswer, CallbackBody, CallbackQuery } from "./callback-bodies.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { TaskPath } from "./task-bodies.ts";

export const callbackRoutes = {
  callBack: {
    id: "callBack",
    method: "POST",
    path: "/tasks/{task_id}/callback",
    tag: "tasks",
    summary: "Tell how a task of a push job ended, or how far it is",
    description:
      "For targets that answered 202, at the `callback_url` they were sent. The lease token of the attempt is the only " +
      "credential: as bearer, or in `Leadhand-Lease`. Progress prolongs the lease.",
    params: TaskPath,
    query: CallbackQuery,
    headers: Type.Object({
      "leadhand-lease": Type.Optional(
        Type.String({ maxLength: 255, description: "The lease token, instead of as bearer." }),
      ),
    }),
    byLease: true,
    body: CallbackBody,
    example: { outcome: "succeeded", data: { ok: true } },
    answers: {
      200: {
        description: "It is written, now or before.",
        schema: CallbackAnswer,
        example: { task_id: examples.task.id, status: "completed", attempt: 1, lease_until: null },
      },
    },
    problems: ["task-not-found", "invalid-task-transition", "lease-lost"],
  },
} as const satisfies Record<string, RouteSpec>;
