// What the /work door counts.

import { Gauge, type Registry } from "prom-client";
import { closeCodes } from "../protocol/work/frames.ts";
import type { WorkMetrics } from "../transports/work/door.ts";
import { tally } from "./tally.ts";

/** 1005: without a code; 1006: without a word. */
const codes = [...Object.values(closeCodes).map(String), "1005", "1006", "slow", "other"] as const;

export function workMetrics(registers: Registry[]): WorkMetrics {
  let open = 0;
  new Gauge({
    name: "leadhand_work_connections",
    help: "Connections of workers to /work.",
    registers,
    collect() {
      this.set(open);
    },
  });
  const frames = tally("leadhand_work_frames_total", "Frames of /work.", "direction", ["in", "out"], registers);
  const closes = tally("leadhand_work_closes_total", "Connections to /work that ended.", "code", codes, registers);
  return {
    opened() {
      open += 1;
    },
    closed(code) {
      open -= 1;
      closes(codes.includes(String(code)) ? String(code) : "other", 1);
    },
    received: (count) => frames("in", count),
    sent: (count) => frames("out", count),
  };
}
