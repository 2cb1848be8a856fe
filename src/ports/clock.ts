// Time is handed in. On PostgreSQL it is the database's time: the monotonic clock plus the offset the pulse measured.

export interface Clock {
  /** Milliseconds since 1970, never going back. */
  now(): number;
  /** Calls back once, not before `at`. Returns what takes it back. */
  alarm(at: number, ring: () => void): () => void;
}
