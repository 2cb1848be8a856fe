import { bothStores, rateFigures } from "../../figures.ts";
import type { Group, Measurement } from "../../measurement.ts";
import type { Size, Sized } from "../../sizes.ts";
import { bullmq, graphile, ours, pgBoss, type Row } from "../rows.ts";

const clients = 50;

export function submits(sized: Sized): Group {
  const peer = (who: Row, tasks: Size): Measurement => ({
    name: `compare-submit-${who.name}`,
    title: who.title,
    stage: null,
    stores: who.stores,
    file: "compare/measures/submit",
    parameters: { ...sized({ tasks, clients }), system: who.system },
    figures: [{ key: "submits", title: "submits", unit: "/s" }],
  });
  return {
    name: "compare-submit",
    title: "Compared: submit, 50 clients",
    method:
      "One task in a call, 50 calls under way. To Leadhand they are HTTP requests from wrk over 50 connections; the others are called in the submitting process itself, with up to 50 connections to the database.",
    measurements: [
      {
        name: "compare-submit-leadhand",
        title: ours.title,
        stage: null,
        stores: bothStores,
        file: "rest/measures/wrk",
        parameters: sized({ connections: clients, seconds: [8, 1], warmUpSeconds: [3, 1] }),
        figures: rateFigures("submits", "submits", { sqlite: { atLeast: 20_000 }, postgres: { atLeast: 15_000 } }),
      },
      peer(bullmq, [10_000, 500]),
      peer(pgBoss, [10_000, 500]),
      peer(graphile, [10_000, 500]),
    ],
  };
}

export function bulkSubmits(sized: Sized): Group {
  const peer = (who: Row): Measurement => ({
    name: `compare-bulk-${who.name}`,
    title: who.title,
    stage: null,
    stores: who.stores,
    file: "compare/measures/bulk",
    parameters: { ...sized({ tasks: [100_000, 5_000] }), system: who.system },
    figures: [{ key: "tasks", title: "tasks", unit: "/s" }],
  });
  return {
    name: "compare-bulk",
    title: "Compared: bulk submit",
    method:
      "Calls of 1,000 tasks, two of them under way: over HTTP for Leadhand, in the process itself for the others.",
    measurements: [
      {
        name: "compare-bulk-leadhand",
        title: ours.title,
        stage: null,
        stores: bothStores,
        file: "rest/measures/bulk",
        parameters: sized({ tasks: [200_000, 5_000] }),
        figures: rateFigures("tasks", "tasks", { sqlite: { atLeast: 75_000 }, postgres: { atLeast: 45_000 } }),
      },
      ...[bullmq, pgBoss, graphile].map(peer),
    ],
  };
}
