// Everything that is measured, by suite, in the order in which it is measured.

import { amqpGroups } from "./amqp/groups.ts";
import { compareGroups } from "./compare/groups.ts";
import { liveGroups } from "./live/groups.ts";
import type { Group } from "./measurement.ts";
import { nodesGroups } from "./nodes/groups.ts";
import { type SuiteName, suiteNames } from "./options.ts";
import { restGroups } from "./rest/groups.ts";
import { storeGroups } from "./store/groups.ts";
import { uiGroups } from "./ui/groups.ts";

const suites = {
  store: storeGroups,
  rest: restGroups,
  live: liveGroups,
  compare: compareGroups,
  nodes: nodesGroups,
  amqp: amqpGroups,
  ui: uiGroups,
} as const satisfies Record<SuiteName, (quick: boolean) => Group[]>;

export function groupsOf(suite: SuiteName, quick: boolean): Group[] {
  return suites[suite](quick);
}

/** Of all suites: the report has all of them. */
export function allGroups(): Group[] {
  return suiteNames.flatMap((suite) => groupsOf(suite, false));
}
