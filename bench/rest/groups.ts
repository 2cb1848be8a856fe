// What is measured of a server over HTTP, in the order in which it is measured.

import { bothStores, rateFigures, setting } from "../figures.ts";
import type { Figure, Group, Measurement, Targets } from "../measurement.ts";
import { type Sized, sizes } from "../sizes.ts";

export function restGroups(quick: boolean): Group[] {
  const sized = sizes(quick);
  return [work(sized), submits(sized), claims(sized), waiting(sized)];
}

function work(sized: Sized): Group {
  const on = (name: string, title: string, stage: string | null): Measurement => ({
    name,
    title,
    stage,
    stores: bothStores,
    file: "rest/measures/work",
    parameters: sized({ workers: 8, tasks: [10_000, 200] }),
    figures: [
      ...rateFigures("cycles", "claim, running, completed", { sqlite: { atLeast: 2_000 } }),
      ...rateFigures("submits", "submits with queue position", { sqlite: { atLeast: 4_000 } }),
    ],
  });
  return {
    name: "rest-work",
    title: "REST: eight workers",
    method: [
      setting,
      "Eight connections submit one task at a time, each answer with its queue position; then eight workers claim a",
      "task, PATCH it to running and to completed, one request after the other. The reference implementation does 53",
      "cycles and 102 submits a second on two cores, 17 submits with 20 thousand tasks pending.",
    ].join(" "),
    measurements: [on("rest-work", "empty database", null), on("rest-work-1m", "1 M pending", "pending-1m")],
    comparisons: [
      {
        name: "rest-work-loss",
        title: "loss from none to 1 M pending",
        base: "rest-work",
        loaded: "rest-work-1m",
        lossMax: 15,
      },
    ],
  };
}

function submits(sized: Sized): Group {
  const wrk = (name: string, title: string, stage: string | null, targets: Targets): Measurement => ({
    name,
    title,
    stage,
    stores: bothStores,
    file: "rest/measures/wrk",
    parameters: sized({ connections: 64, seconds: [8, 1], warmUpSeconds: [3, 1] }),
    figures: [
      ...rateFigures("submits", "submits", targets),
      { key: "p50Ms", title: "latency", unit: "ms", beside: true },
      { key: "p99Ms", title: "p99", unit: "ms", beside: true },
    ],
  });
  return {
    name: "rest-submit",
    title: "REST: submits",
    method: `${setting} Single submits are from wrk with 64 connections, one request at a time on each; bulk is calls of 1,000 tasks with two calls under way, the answers with all tasks read to their end. Payloads have 200 bytes.`,
    measurements: [
      wrk("rest-wrk", "64 connections", null, { sqlite: { atLeast: 20_000 }, postgres: { atLeast: 15_000 } }),
      wrk("rest-wrk-1m", "64 connections, 1 M pending", "pending-1m", {}),
      {
        name: "rest-bulk",
        title: "bulk",
        stage: null,
        stores: bothStores,
        file: "rest/measures/bulk",
        parameters: sized({ tasks: [200_000, 5_000] }),
        figures: rateFigures("tasks", "tasks", { sqlite: { atLeast: 75_000 }, postgres: { atLeast: 45_000 } }),
      },
    ],
  };
}

function claims(sized: Sized): Group {
  return {
    name: "rest-claims",
    title: "REST: batched claims",
    method: `${setting} Four workers claim with \`limit\` 100 and \`Prefer: wait=5\`, one call after the other, until all tasks are claimed; answers carry whole tasks with their lease tokens.`,
    measurements: [
      {
        name: "rest-claims",
        title: "4 workers",
        stage: null,
        stores: bothStores,
        file: "rest/measures/batched-claims",
        parameters: sized({ workers: 4, tasks: [100_000, 2_000] }),
        figures: rateFigures("tasks", "tasks", { sqlite: { atLeast: 25_000 } }),
      },
    ],
  };
}

function waiting(sized: Sized): Group {
  const both = (atMost: number): Targets => ({ sqlite: { atMost }, postgres: { atMost } });
  const grown: Figure = { key: "grownMb", title: "memory of the server grows by", unit: "MB", targets: both(30) };
  return {
    name: "rest-waiting",
    title: "REST: long polls",
    method: `${setting} A thousand requests with \`Prefer: wait\` wait at once, each on a connection of its own, whose memory is counted too. Memory is the growth of the resident size. Times are from the answer to whoever caused the event to the answer to whoever waited for it.`,
    measurements: [
      {
        name: "rest-waiting-claims",
        title: "1,000 claims, 100 submits",
        stage: null,
        stores: bothStores,
        file: "rest/measures/waiting-claims",
        parameters: sized({ polls: [1_000, 50], events: [100, 5] }),
        figures: [
          grown,
          { key: "firstP50Ms", title: "first answer", unit: "ms", targets: both(5) },
          { key: "firstP99Ms", title: "p99", unit: "ms", beside: true },
          { key: "sentP50Ms", title: "from the sending of the submit", unit: "ms", beside: true },
        ],
      },
      {
        name: "rest-waiting-tasks",
        title: "1,000 waits for one task",
        stage: null,
        stores: bothStores,
        file: "rest/measures/waiting-tasks",
        parameters: sized({ polls: [1_000, 50] }),
        figures: [
          grown,
          { key: "firstMs", title: "first answer", unit: "ms", targets: both(5) },
          { key: "firstSentMs", title: "from the sending of the cancel", unit: "ms", beside: true },
          { key: "lastSentMs", title: "the last answer", unit: "ms", beside: true },
        ],
      },
    ],
  };
}
