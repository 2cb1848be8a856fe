// What the processes of these measurements are told. What they say is as in compare/work-words.ts.

/** Consumers that do nothing but take messages and acknowledge them. */
export interface RawWords {
  readonly amqpUrl: string;
  readonly queue: string;
  readonly prefetch: number;
}

/** Consumers of one queue by the SDK. */
export interface ConsumerWords extends RawWords {
  readonly url: string;
  readonly token: string;
  readonly kind: "job" | "operation";
  readonly consumers: number;
  readonly concurrency: number;
}

/** Consumers as far as they count on their parent, without the broker. */
export interface CounterWords {
  readonly url: string;
  readonly token: string;
  readonly task: string;
  readonly consumers: number;
  /** Marks of one consumer that are not counted yet. */
  readonly inHand: number;
  /** Indexes from the first to before the second. */
  readonly from: number;
  readonly to: number;
}
