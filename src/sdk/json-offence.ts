// What no server takes as JSON text: nesting too deep, numbers without end, NUL, and halves of surrogate pairs.

import { jsonDepthMax } from "../core/checksum.ts";
import { findOffence } from "../protocol/json-scan.ts";

/** Of what is told around it by any door. */
const depthAround = 4;

/** As what is said of the text; null where servers take it. */
export function offenceIn(text: string): string | null {
  return findOffence(text, jsonDepthMax - depthAround)?.says ?? null;
}
