import Type from "typebox";
import { alertCodeLengthMax, alertMessageLengthMax, alertSeverities } from "../../core/alert.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { oneOf, orNull, PageQuery, pageOf, Time, Uuid } from "./words.ts";
import { WorkerPath } from "./worker-bodies.ts";

export const AlertBody = Type.Object({
  severity: oneOf(alertSeverities),
  code: Type.String({ minLength: 1, maxLength: alertCodeLengthMax }),
  message: Type.String({ maxLength: alertMessageLengthMax }),
  task_id: Type.Optional(orNull(Uuid)),
  at: Type.Optional(Time),
});

export const Alert = Type.Object({
  at: Time,
  worker_id: Uuid,
  severity: oneOf(alertSeverities),
  code: Type.String(),
  message: Type.String(),
  task_id: orNull(Type.String()),
});

export const AlertQuery = Type.Object({
  severity: Type.Optional(oneOf(alertSeverities)),
  worker_id: Type.Optional(Uuid),
  since: Type.Optional(Time),
});

export const alertRoutes = {
  raiseAlert: {
    id: "raiseAlert",
    method: "POST",
    path: "/workers/{worker_id}/alerts",
    tag: "workers",
    summary: "Raise an alert for a worker",
    description: "For the worker's owner alone. Of one worker 60 are kept in a minute; the rest is counted.",
    params: WorkerPath,
    body: AlertBody,
    example: { severity: "warning", code: "disk-almost-full", message: "3 GiB are left" },
    answers: {
      200: {
        description: "Whether it was kept.",
        schema: Type.Object({ kept: Type.Boolean() }),
        example: { kept: true },
      },
    },
    problems: ["worker-not-found"],
  },
  listAlerts: {
    id: "listAlerts",
    method: "GET",
    path: "/alerts",
    tag: "workers",
    summary: "List the alerts of all workers",
    query: Type.Object({ ...AlertQuery.properties, ...PageQuery.properties }),
    answers: {
      200: {
        description: "A page of alerts, newest first.",
        schema: pageOf(Alert),
        example: examples.page(examples.alert),
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
