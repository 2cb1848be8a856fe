// Waiting for the end: for SIGINT and SIGTERM, and for whoever says so.

const signals = ["SIGINT", "SIGTERM"] as const;

/** Returns what takes the handlers away again; those of others are left as they are. */
export function onSignals(handle: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of signals) process.on(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}

/** Keeps the program alive while it waits. */
export async function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const alive = setInterval(() => undefined, 2 ** 30);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  clearInterval(alive);
}
