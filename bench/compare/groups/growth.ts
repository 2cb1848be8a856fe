import { bothStores } from "../../figures.ts";
import type { Comparison, Group, Measurement } from "../../measurement.ts";
import type { Sized } from "../../sizes.ts";
import { ours } from "../rows.ts";

const lossMax = 15;

export function growth(sized: Sized): Group {
  const on = (stage: string, title: string): Measurement => ({
    name: `compare-growth-${stage}`,
    title,
    stage,
    stores: bothStores,
    file: "compare/measures/drain",
    parameters: {
      ...sized({ tasks: [30_000, 1_000], warmUp: [4_000, 1_000], workers: 1, concurrency: 100, prefetch: 0 }),
      ...{ system: ours.system, held: 0 },
    },
    figures: [{ key: "tasks", title: "tasks", unit: "/s" }],
  });
  const loss = (base: string, loaded: string, title: string): Comparison => ({
    name: `compare-growth-loss-${loaded}`,
    title,
    base: `compare-growth-${base}`,
    loaded: `compare-growth-${loaded}`,
    lossMax,
  });
  return {
    name: "compare-growth",
    title: "Compared: drain as the database grows",
    method:
      "Leadhand alone: the drain of 100 at a time on databases that hold pending tasks in 201 lanes, and rows of history. As many tasks are submitted before each run as are drained in it, so as many stay, and every run adds a hundred thousand rows of history.",
    // The stages with history are copies of the one with 10 k pending, as it is before a server has worked on it.
    measurements: [
      on("history-10k", "10 k rows of history"),
      on("history-100k", "100 k rows of history"),
      on("history-1m", "1 M rows of history"),
      on("history-10m", "10 M rows of history"),
      on("pending-10k", "10 k pending"),
      on("pending-1m", "1 M pending"),
    ],
    comparisons: [
      loss("pending-10k", "pending-1m", "loss from 10 k to 1 M pending"),
      loss("history-10k", "history-100k", "loss from 10 k to 100 k rows of history"),
      loss("history-10k", "history-1m", "loss from 10 k to 1 M rows of history"),
      loss("history-10k", "history-10m", "loss from 10 k to 10 M rows of history"),
    ],
  };
}
