import { bothStores, setting } from "../../figures.ts";
import type { Group, Targets } from "../../measurement.ts";
import type { Sized } from "../../sizes.ts";
import { ours } from "../rows.ts";

function onBoth(atMost: number): Targets {
  return { sqlite: { atMost }, postgres: { atMost } };
}

export function recovery(sized: Sized): Group {
  return {
    name: "compare-recovery",
    title: "Compared: recovery after kill -9 of a worker",
    method: [
      "A worker that holds eight tasks is killed while another one holds eight of its own and has room for eight more: from",
      "the kill to the start of each task on the other worker. The run fails if a task of the live worker starts twice.",
      "The others are not run here, for their time is a setting: by default 30 s and more for BullMQ, 15 min for pg-boss,",
      "4 h for graphile-worker.",
    ].join(" "),
    measurements: [
      {
        name: "compare-recovery-leadhand",
        title: ours.title,
        stage: null,
        stores: bothStores,
        file: "compare/measures/recovery",
        parameters: { ...sized({ rounds: [3, 1] }), system: ours.system },
        figures: [
          { key: "mostMs", title: "the last task runs again", unit: "ms", targets: onBoth(6_000) },
          { key: "p50Ms", title: "p50 of all", unit: "ms", beside: true },
        ],
      },
    ],
  };
}

export function idleWorkers(sized: Sized): Group {
  return {
    name: "compare-idle",
    title: "Compared: 10,000 idle workers on one server",
    method: `${setting} Two more processes hold 5,000 WebSocket connections each, every one a registered worker that asks for one task and beats once a second. A beat's delay is from when it was due to when the server had read it (a ping that follows it is answered), so it counts what the clients are late themselves. Memory is the largest resident size over the time that is measured.`,
    measurements: [
      {
        name: "compare-idle-leadhand",
        title: ours.title,
        stage: null,
        stores: bothStores,
        file: "compare/measures/idle-workers",
        parameters: sized({ workers: [10_000, 200], seconds: [30, 3] }),
        figures: [
          { key: "residentMb", title: "memory of the server", unit: "MB", targets: onBoth(500) },
          { key: "emptyMb", title: "without workers", unit: "MB", beside: true },
          { key: "cpuShare", title: "share of a core", unit: "%", targets: onBoth(50) },
          { key: "beatMostMs", title: "latest beat", unit: "ms", targets: onBoth(1_000) },
          { key: "beatP99Ms", title: "p99", unit: "ms", beside: true },
          { key: "beatP50Ms", title: "p50", unit: "ms", beside: true },
          { key: "lost", title: "connections lost", unit: "", targets: onBoth(0) },
        ],
      },
    ],
  };
}
