// What the frames of `/work` are called here. The schemas themselves are not loaded: a worker's program should start fast.

import type { closeCodes as CloseCodes, resultsMax as ResultsMax } from "../../../protocol/work/frames.ts";

type Known = "done" | "goingAway" | "badMessage" | "unauthorized" | "replaced" | "tooLarge";

// Does not compile where it differs from the protocol's own.
export const closeCodes: Pick<typeof CloseCodes, Known> = {
  done: 1000,
  goingAway: 1001,
  badMessage: 4400,
  unauthorized: 4401,
  replaced: 4409,
  tooLarge: 4413,
};
export const resultsMax: typeof ResultsMax = 1_000;
export const alertsMax = 100;
/** Of lines, and of tasks that got on, in one frame. */
export const entriesMax = 5_000;

/** Well below what the server takes, since the rest of the frame has to fit too. */
export const frameBytesMax = 3 * 1_048_576;

/** At most; exact where it matters. */
export function bytesOf(text: string): number {
  return text.length < 4_096 ? 3 * text.length : Buffer.byteLength(text);
}
