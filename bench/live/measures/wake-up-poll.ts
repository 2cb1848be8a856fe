// A Worker whose claim waits at the server.

import type { Measured, MeasureInput } from "../../measure.ts";
import { wakeUps } from "../wake-ups.ts";

export function measure(input: MeasureInput): Promise<Measured> {
  return wakeUps(input, "live/actors/worker");
}
