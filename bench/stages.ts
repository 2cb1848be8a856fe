// What databases hold before something is measured on them.

import type { Stage } from "./measurement.ts";
import { sizes } from "./sizes.ts";

export function stages(quick: boolean): Stage[] {
  const sized = sizes(quick);
  return [
    { name: "pending-10k", file: "stages/pending", parameters: sized({ tasks: [10_000, 500] }) },
    { name: "pending-1m", file: "stages/pending", parameters: sized({ tasks: [1_000_000, 20_000] }) },
    {
      name: "delayed-400k",
      from: "pending-1m",
      file: "stages/delayed",
      parameters: sized({ tasks: [400_000, 8_000] }),
    },
    {
      name: "history-10k",
      from: "pending-10k",
      file: "stages/history",
      parameters: sized({ events: [10_000, 300], secondsMax: 60 }),
    },
    {
      name: "history-100k",
      from: "pending-10k",
      file: "stages/history",
      parameters: sized({ events: [100_000, 1_000], secondsMax: 60 }),
    },
    {
      name: "history-1m",
      from: "pending-10k",
      file: "stages/history",
      parameters: sized({ events: [1_000_000, 3_000], secondsMax: 60 }),
    },
    {
      name: "history-10m",
      from: "pending-10k",
      file: "stages/history",
      parameters: sized({ events: [10_000_000, 30_000], secondsMax: 240 }),
    },
    { name: "fleet", file: "stages/fleet", parameters: sized({ workers: [10_000, 200], tasksEach: 8 }) },
    { name: "board", file: "stages/board", parameters: sized({ tasks: [1_000_000, 10_000], workers: [1_000, 100] }) },
  ];
}
