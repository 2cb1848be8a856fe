// What a crowd of idle workers is told, and what it says.

export interface CrowdWords {
  readonly url: string;
  readonly token: string;
  readonly workers: number;
}

export interface Lateness {
  readonly kind: "lateness";
  /** From when a beat was due to when the server had read it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  /** Connections that ended, for whatever reason. */
  readonly lost: number;
}

/** Forget what was seen so far, or tell it. */
export interface CrowdOrder {
  readonly order: "reset" | "tell";
}
