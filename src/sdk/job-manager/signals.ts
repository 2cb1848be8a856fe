// SIGINT and SIGTERM, for as long as somebody waits.

const signals = ["SIGINT", "SIGTERM"] as const;

/** Returns what takes the handlers away again; those of others are left as they are. */
export function onSignals(handle: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of signals) process.on(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}
