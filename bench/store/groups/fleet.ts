// What a fleet costs that has nothing to do but to be there.

import { beside, bothStores } from "../../figures.ts";
import type { Figure, Group, Measurement } from "../../measurement.ts";
import type { Size, Sized } from "../../sizes.ts";

export function fleet(sized: Sized): Group {
  const figures: readonly Figure[] = [
    { key: "databasePercent", title: "database, of one core", unit: "%", targets: { postgres: { atMost: 2 } } },
    { ...beside("statementsPerSecond", "statements"), unit: "/s" },
    { ...beside("serverCpuPercent", "CPU of PostgreSQL"), unit: "%" },
    { key: "cpuPercent", title: "CPU of the whole process, of one core", unit: "%" },
    { ...beside("beatsPerSecond", "writes of beats"), unit: "/s" },
    {
      ...{ key: "sweepMs", title: "one sweep", unit: "ms" },
      targets: { sqlite: { atMost: 50 }, postgres: { atMost: 50 } },
    },
  ];
  const of = (name: string, title: string, connected: Size, others: Size): Measurement => ({
    ...{ name, title, stores: bothStores, stage: null, file: "store/measures/fleet", figures },
    parameters: sized({ seconds: [20, 2], connected, others }),
  });
  return {
    name: "fleet",
    title: "A fleet that beats",
    method:
      "Workers that hold nothing beat through the engine, evenly spread: those of the `work` profile every second, those of the `fleet` profile every 20, each with how it is. The database's own time is that of all statements in its log, the pulse included; a sweep is one pass of every step, with nothing to do.",
    measurements: [
      of("fleet-work", "5,000 workers of `work`", [5_000, 100], [0, 0]),
      of("fleet-mixed", "2,500 of `work`, 2,500 of `fleet`", [2_500, 50], [2_500, 50]),
    ],
  };
}

export function idleWorkers(sized: Sized): Group {
  return {
    name: "idle-workers",
    title: "Idle, with workers",
    method:
      "100 workers of the `work` profile beat and hold nothing, over 20 seconds from 65 seconds after the last change on. Statements are those in PostgreSQL's log, the bus's included; calls are those of the store.",
    measurements: [
      {
        ...{ name: "idle-workers", title: "100 workers", stores: bothStores, stage: null },
        file: "store/measures/idle-workers",
        parameters: sized({ seconds: [20, 4], quietSeconds: [65, 1], workers: [100, 10] }),
        figures: [
          { key: "statementsPerSecond", title: "statements", unit: "/s", targets: { postgres: { atMost: 2.1 } } },
          { ...beside("databaseMsPerSecond", "database time"), unit: "ms/s" },
          { key: "callsPerSecond", title: "calls", unit: "/s", targets: { sqlite: { atMost: 2.1 } } },
          { ...beside("beatsPerSecond", "writes of beats"), unit: "/s" },
        ],
      },
    ],
  };
}
