// Signals by which a program is asked to end.

import { elapsedMs } from "./system.ts";

const names = ["SIGINT", "SIGTERM"] as const;

/**
 * Supervisors signal every process they started, and launchers pass on what they get, so one request may arrive as two
 * signals in one moment.
 */
const oneRequestMs = 300;

/** Returns what takes the handlers away again; those of others are left as they are. */
export function onStopRequests(handle: (signal: NodeJS.Signals) => void): () => void {
  const heardAt = new Map<NodeJS.Signals, number>();
  const hear = (signal: NodeJS.Signals): void => {
    const isSame = elapsedMs() - (heardAt.get(signal) ?? Number.NEGATIVE_INFINITY) < oneRequestMs;
    if (isSame) return;
    heardAt.set(signal, elapsedMs());
    handle(signal);
  };
  for (const name of names) process.on(name, hear);
  return () => {
    for (const name of names) process.off(name, hear);
  };
}
