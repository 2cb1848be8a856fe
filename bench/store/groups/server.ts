// What a server costs that has little to do.

import { beside, bothStores } from "../../figures.ts";
import type { Group, Measurement, Targets } from "../../measurement.ts";
import type { Size, Sized } from "../../sizes.ts";

export function beats(sized: Sized): Group {
  return {
    name: "beats",
    title: "Signs of life",
    method:
      "10,000 workers of the `work` profile holding 8 tasks each; every worker beats once a second through the engine, evenly spread. Calls are timed around `store.beat`; the database's own time is from its log.",
    measurements: [
      {
        name: "beats",
        title: "10,000 workers",
        stores: bothStores,
        stage: "fleet",
        file: "store/measures/beats",
        parameters: sized({ seconds: [10, 2] }),
        figures: [
          { key: "callMsPerSecond", title: "calls", unit: "ms/s", targets: { sqlite: { atMost: 50 } } },
          { ...beside("cpuMsPerSecond", "CPU of the whole process"), unit: "ms/s" },
          { ...beside("serverCpuMsPerSecond", "of PostgreSQL"), unit: "ms/s" },
          { key: "databaseMsPerSecond", title: "database", unit: "ms/s", targets: { postgres: { atMost: 50 } } },
          { key: "allAtOnceMs", title: "one write of all beats", unit: "ms" },
        ],
      },
    ],
  };
}

export function idle(sized: Sized): Group {
  const on = (name: string, title: string, waiting: Size): Measurement => ({
    name,
    title,
    stores: ["postgres"],
    stage: null,
    file: "store/measures/idle",
    parameters: sized({ seconds: [20, 2], quietSeconds: [65, 1], claims: waiting }),
    figures: [
      { key: "statementsPerSecond", title: "statements", unit: "/s", targets: { postgres: { atMost: 1 } } },
      { ...beside("storePerSecond", "of the store"), unit: "/s" },
      { ...beside("busPerSecond", "of the bus"), unit: "/s" },
      { ...beside("databaseMsPerSecond", "database time"), unit: "ms/s" },
    ],
  });
  return {
    name: "idle",
    title: "Idle",
    method:
      "Statements in the server's log over 20 seconds, those of the bus included, from 65 seconds after the last change on: by then the safety nets have looked twice more, and rest.",
    measurements: [
      on("idle-alone", "no workers", [0, 0]),
      on("idle-waiting", "100 claims that wait for work", [100, 5]),
    ],
  };
}

export function memory(sized: Sized): Group {
  const rss: Targets = { sqlite: { atMost: 150 }, postgres: { atMost: 150 } };
  return {
    name: "memory",
    title: "Memory",
    method:
      "Resident memory of a process with the engine alone on 1 million pending tasks, after 10 seconds of 50 tasks a second; run from the sources, types stripped beforehand.",
    measurements: [
      {
        name: "memory",
        title: "1 M pending",
        stores: bothStores,
        stage: "pending-1m",
        file: "store/measures/memory",
        parameters: sized({ seconds: [10, 1] }),
        figures: [
          { key: "rssMb", title: "resident", unit: "MB", targets: rss },
          { ...beside("startedRssMb", "after the start"), unit: "MB" },
          { ...beside("bareRssMb", "before it"), unit: "MB" },
          { ...beside("heapMb", "JavaScript heap"), unit: "MB" },
        ],
      },
    ],
  };
}

export function start(): Group {
  const targets: Targets = { sqlite: { atMost: 1_000 }, postgres: { atMost: 1_000 } };
  return {
    name: "start",
    title: "Start",
    method: "`engine()` and `start()` in a fresh process on 1 million pending tasks, until the first pulse is over.",
    measurements: [
      {
        name: "start",
        title: "1 M pending",
        stores: bothStores,
        stage: "pending-1m",
        file: "store/measures/start",
        parameters: {},
        figures: [{ key: "ms", title: "start", unit: "ms", targets }],
      },
    ],
  };
}
