import { Act, ActPath, ActWords } from "./act-bodies.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { PageQuery, pageOf } from "./words.ts";

const act = { description: "The act, as it stands.", schema: Act, example: examples.act };

/** What is done to all tasks that a query picks. */
export const actRoutes = {
  beginAct: {
    id: "beginAct",
    method: "POST",
    path: "/tasks/acts",
    tag: "tasks",
    summary: "Cancel or retry all tasks that a query picks",
    description:
      "Of those made before it, each once; it goes on after the answer, and after a crash, until its token is revoked. Tasks " +
      "that the caller may not cancel or retry are skipped, and so are those that were retried before; `skips` counts them.",
    body: ActWords,
    example: { act: "retry", q: "state:failed error~timeout age<1h", note: "the disk is back", expect: 120 },
    answers: { 202: { ...act, headers: { Location: "Where the act can be read." } } },
    problems: ["precondition-failed"],
  },
  listActs: {
    id: "listActs",
    method: "GET",
    path: "/acts",
    tag: "tasks",
    summary: "List acts on many tasks",
    description:
      "Those under way, and those that ended within a day; of others only for whoever sees all rooms and jobs.",
    query: PageQuery,
    answers: {
      200: {
        description: "A page of acts, the latest first.",
        schema: pageOf(Act),
        example: examples.page(examples.act),
      },
    },
    problems: [],
  },
  getAct: {
    id: "getAct",
    method: "GET",
    path: "/acts/{act_id}",
    tag: "tasks",
    summary: "Read how far an act has come",
    params: ActPath,
    answers: { 200: act },
    problems: ["act-not-found"],
  },
  stopAct: {
    id: "stopAct",
    method: "DELETE",
    path: "/acts/{act_id}",
    tag: "tasks",
    summary: "Stop an act",
    description: "What it has done stays done. One that is over stays as it is.",
    params: ActPath,
    answers: { 200: act },
    problems: ["act-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
