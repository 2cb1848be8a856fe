// A JobManager that is woken over Socket.IO, and claims then.

import type { Measured, MeasureInput } from "../../measure.ts";
import { wakeUps } from "../wake-ups.ts";

export function measure(input: MeasureInput): Promise<Measured> {
  return wakeUps(input, "live/actors/manager");
}
