import { bothStores, latency } from "../../figures.ts";
import type { Group, Measurement } from "../../measurement.ts";
import type { Sized } from "../../sizes.ts";

export function claims(sized: Sized): Group {
  const on = (name: string, title: string, stage: string): Measurement => ({
    name,
    title,
    stores: bothStores,
    stage,
    file: "store/measures/claims",
    parameters: sized({ calls: [400, 20] }),
    figures: [
      ...latency("even1", "200 lanes, evenly full, 1 wanted", 1.5),
      ...latency("even10", "200 lanes, evenly full, 10 wanted", 1.5),
      ...latency("skewed1", "200 lanes, one holds most, 1 wanted", 1.5),
      ...latency("skewed10", "200 lanes, one holds most, 10 wanted", 1.5),
      ...latency("empty", "200 empty lanes, 10 wanted", 1),
    ],
  });
  return {
    name: "claims",
    title: "Claim latency",
    method:
      "`store.exchange` with one taker and nothing to settle, commit included, 400 calls each; what was claimed is completed outside the timing. Half of the million is in one lane, the rest evenly in 200. Targets are for the median.",
    measurements: [
      on("claims-1m", "1 M pending", "pending-1m"),
      on("claims-delayed", "1 M pending, 400 k delayed", "delayed-400k"),
    ],
  };
}

export function position(sized: Sized): Group {
  return {
    name: "position",
    title: "Queue position",
    method: '`store.read("positions")` in the lane with half a million pending tasks. Targets are for the median.',
    measurements: [
      {
        name: "position",
        title: "1 M pending",
        stores: bothStores,
        stage: "pending-1m",
        file: "store/measures/position",
        parameters: sized({ calls: [400, 20] }),
        figures: [
          ...latency("front", "near the front", 1),
          ...latency("middle", "in the middle", 1),
          ...latency("end", "at the end", 1),
        ],
      },
    ],
  };
}

export function explain(sized: Sized): Group {
  return {
    name: "explain",
    title: "Why a task is not running",
    method:
      "`explain` of the engine, for a task in the middle and at the end of the lane with half a million of a million pending tasks: where nobody has its job, and where 500 workers have it and beat. Targets are for the median.",
    measurements: [
      {
        name: "explain",
        title: "1 M pending",
        stores: bothStores,
        stage: "pending-1m",
        file: "store/measures/explain",
        parameters: sized({ calls: [400, 20], workers: [500, 10] }),
        figures: [
          ...latency("nobody-middle", "nobody has the job, in the middle", 20),
          ...latency("nobody-end", "nobody has the job, at the end", 20),
          ...latency("many-middle", "500 workers have it, in the middle", 20),
          ...latency("many-end", "500 workers have it, at the end", 20),
        ],
      },
    ],
  };
}
