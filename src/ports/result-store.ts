// What providers answered, kept for a while, and which questions are on their way to one. It is a cache: losing all of
// it costs time, never correctness. Each call is one transaction.

export interface ResultKey {
  /** The provider's id. */
  readonly provider: string;
  readonly hash: string;
}

export interface ProviderResult {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface ResultStore {
  /** Null where nothing is kept, or what is kept has expired. */
  get(key: ResultKey, now: number): Promise<ProviderResult | null>;
  /**
   * Whether the caller is the one to ask the provider. Until then nobody else is, unless a result comes or the provider
   * is written anew. Nobody is where a result is kept, or where there is no such provider.
   */
  begin(key: ResultKey, now: number, until: number): Promise<boolean>;
  /** Kept or replaced; the question is on its way no more. False where there is no such provider: nothing was kept. */
  put(key: ResultKey, result: ProviderResult, at: number, expiresAt: number): Promise<boolean>;
  /** What has expired goes, then the oldest until the rest has at most so many bytes. Answers how many results went. */
  trim(now: number, bytesMax: number): Promise<number>;
}
