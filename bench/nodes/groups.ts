// What is measured of several servers on one PostgreSQL, in the order in which it is measured.

import type { Group, Measurement } from "../measurement.ts";
import { type Sized, sizes } from "../sizes.ts";

export function nodesGroups(quick: boolean): Group[] {
  const sized = sizes(quick);
  return [drain(sized), pickup(sized)];
}

function drain(sized: Sized): Group {
  const on = (servers: number, title: string): Measurement => ({
    name: `nodes-drain-${servers}`,
    title,
    stage: null,
    stores: ["postgres"],
    file: "nodes/measures/drain",
    parameters: sized({ servers, workers: 2, concurrency: 100, tasks: [200_000, 2_000], warmUp: [20_000, 1_000] }),
    figures: [{ key: "tasks", title: "tasks", unit: "/s" }],
  });
  return {
    name: "nodes-drain",
    title: "Many servers: drain",
    method:
      "Tasks are there; two workers of the SDK, each a process with a concurrency of 100 on `/work`, do them: both at one server, or each at a server of its own on the same PostgreSQL. Everything shares the two cores of one machine, so two servers cannot do more than one that leaves no core idle; they must not do less.",
    measurements: [on(1, "one server, two workers"), on(2, "two servers, a worker at each")],
    comparisons: [
      {
        name: "nodes-drain-loss",
        title: "loss from one server to two",
        base: "nodes-drain-1",
        loaded: "nodes-drain-2",
        lossMax: 0,
      },
    ],
  };
}

function pickup(sized: Sized): Group {
  const to = (servers: number, title: string, isJudged: boolean): Measurement => ({
    name: `nodes-pickup-${servers}`,
    title,
    stage: null,
    stores: ["postgres"],
    file: "nodes/measures/pickup",
    parameters: sized({ servers, tasks: [500, 30] }),
    figures: [
      {
        ...{ key: "p50Ms", title: "handler starts", unit: "ms" },
        ...(isJudged && { targets: { postgres: { atMost: 10 } } }),
      },
      { key: "p99Ms", title: "p99", unit: "ms", ...(isJudged && { targets: { postgres: { atMost: 40 } } }) },
      { key: "mostMs", title: "at most", unit: "ms", beside: true },
    ],
  });
  return {
    name: "nodes-pickup",
    title: "Many servers: from submit to handler",
    method:
      "Nothing to do, then one task, again and again: from the sending of the submit to the first line of the handler in the worker's process. The submit is sent to one server, the worker is connected to the other, which hears of the task by NOTIFY; beside it the same with one server. Three hundred tasks go before.",
    measurements: [to(1, "at one server", false), to(2, "from one server to another", true)],
  };
}
