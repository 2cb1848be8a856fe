import { allStores, beside, cpuEach } from "../../figures.ts";
import type { Group } from "../../measurement.ts";
import type { Sized } from "../../sizes.ts";

export function submit(sized: Sized): Group {
  return {
    name: "submit",
    title: "Submit",
    method:
      "Tasks with 200-byte payloads. Bulk is calls of 1,000 with two calls under way; singles are 64 callers with one task each.",
    measurements: [
      {
        name: "submit",
        title: "empty database",
        stores: allStores,
        stage: null,
        file: "store/measures/submit",
        parameters: sized({ tasks: [100_000, 2_000], singles: [40_000, 1_000] }),
        figures: [
          { key: "bulkPerSecond", title: "engine, bulk", unit: "/s" },
          ...cpuEach("bulk-"),
          { key: "storeBulkPerSecond", title: "store, bulk", unit: "/s" },
          ...cpuEach("store-"),
          { key: "singlesPerSecond", title: "engine, 64 singles", unit: "/s" },
          ...cpuEach("single-"),
          beside("singlesPerCommit", "tasks per commit"),
        ],
      },
    ],
  };
}
