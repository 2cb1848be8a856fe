// How busy a server is, as it tells the others with every pulse. Servers of other versions may say more, or less.

/** What only the server around the engine knows. */
export interface ServerLoad {
  /** Open connections: of HTTP alone, of Socket.IO, of `/work`. */
  readonly http: number;
  readonly sockets: number;
  readonly work: number;
  /** How late the event loop was for its timers since the last look: on average, and at the 99th percentile. */
  readonly loopLagMs: number;
  readonly loopLagP99Ms: number;
  /** Of one core, since the last look. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
}

export interface NodeLoad extends ServerLoad {
  /** Workers that are heard of here. */
  readonly workers: number;
  /** Tasks that were handed out here and have not ended. */
  readonly tasks: number;
}

const members = [
  ...(["http", "sockets", "work", "loopLagMs", "loopLagP99Ms", "cpuPercent", "memoryBytes"] as const),
  ...(["workers", "tasks"] as const),
] satisfies readonly (keyof NodeLoad)[];

/** What is known of what a server said: what it did not say is null, and what nobody here knows is left out. */
export type KnownLoad = { readonly [K in keyof NodeLoad]: number | null };

export function knownLoad(text: string | null): KnownLoad {
  const said = objectIn(text);
  const known = members.map((member) => [member, typeof said[member] === "number" ? said[member] : null]);
  return Object.fromEntries(known) as KnownLoad;
}

function objectIn(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Whatever another server has written there, this one goes on.
    return {};
  }
}
