// How patient those are who live by a broker, where no setting says otherwise. Servers and consumers read the same settings.

export interface Tries {
  readonly attempts: number;
  /** Before the second try; doubles with each. */
  readonly baseMs: number;
  /** The longest wait between two tries. */
  readonly capMs: number;
}

export const documentPatience = {
  transient: { attempts: 3, baseMs: 1_000, capMs: 10_000 },
  publish: { attempts: 5, baseMs: 1_000, capMs: 30_000 },
  outOfMemory: { attempts: 5, baseMs: 5_000, capMs: 300_000 },
  redeliveryMax: 10,
  retryLaterCapMs: 600_000,
  reconnectMs: 5_000,
} as const;

/** How long to wait after try `n`, counted from 1. */
export function waitMs({ baseMs, capMs }: Pick<Tries, "baseMs" | "capMs">, n: number): number {
  // Beyond that every base is at its cap.
  return Math.min(baseMs * 2 ** Math.min(n - 1, 40), capMs);
}
