import Type from "typebox";
import { failureOrders } from "../../core/statistic-sums.ts";
import { type WindowName, windowNames } from "../../core/window.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { FailureGroup, JobStatistic, Pulse } from "./statistic-bodies.ts";
import { failureExample, jobStatisticExample, pulseExample } from "./statistic-examples.ts";
import { Find, oneOf, PageQuery, pageOf } from "./words.ts";

const windowOf = (usual: WindowName) =>
  Type.Unsafe<WindowName>({ ...oneOf(windowNames, { description: "How far back." }), default: usual });

const room = Type.Optional(Type.String({ description: "Tasks of this room alone." }));
const job = Type.Optional(Type.String({ description: "Tasks of the job with this full name alone." }));

export const statisticRoutes = {
  getPulse: {
    id: "getPulse",
    method: "GET",
    path: "/pulse",
    tag: "statistics",
    summary: "Read how it goes: counts over time, what waits and why, the fleet, alerts",
    description: "As far as the token may see. What other servers counted in the last five seconds may be missing.",
    query: Type.Object({ window: windowOf("1h"), room, job }),
    answers: { 200: { description: "The pulse.", schema: Pulse, example: pulseExample } },
    problems: ["invalid-room-id"],
  },
  listJobStatistics: {
    id: "listJobStatistics",
    method: "GET",
    path: "/jobs/statistics",
    tag: "statistics",
    summary: "List jobs with what was counted of them",
    query: Type.Object({ window: windowOf("24h"), room, find: Find, ...PageQuery.properties }),
    answers: {
      200: {
        description: "A page of jobs, the busiest first.",
        schema: pageOf(JobStatistic),
        example: examples.page(jobStatisticExample),
      },
    },
    problems: ["invalid-room-id"],
  },
  listFailures: {
    id: "listFailures",
    method: "GET",
    path: "/failures",
    tag: "statistics",
    summary: "List failures, those that are alike as one",
    query: Type.Object({
      ...{ window: windowOf("24h"), room, job },
      sort: Type.Unsafe<(typeof failureOrders)[number]>({
        ...oneOf(failureOrders, { description: "Those seen last first, or those of most tasks." }),
        default: "last",
      }),
      ...PageQuery.properties,
    }),
    answers: {
      200: {
        description: "A page of failures.",
        schema: pageOf(FailureGroup),
        example: examples.page(failureExample),
      },
    },
    problems: ["invalid-room-id"],
  },
  getFailure: {
    id: "getFailure",
    method: "GET",
    path: "/failures/{fingerprint}",
    tag: "statistics",
    summary: "Read one of them",
    params: Type.Object({ fingerprint: Type.String({ description: "16 hexadecimal digits." }) }),
    query: Type.Object({ window: windowOf("30d") }),
    answers: { 200: { description: "The failure.", schema: FailureGroup, example: failureExample } },
    problems: ["failure-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
