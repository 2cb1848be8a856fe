// What actors that work are told, and what they say.

export interface WorkWords {
  readonly url: string;
  readonly token: string;
  readonly concurrency: number;
  /** Says `reached` when it is through with so many tasks, for each of them; without them, `started` for every task. */
  readonly marks: readonly number[];
}

export interface Ready {
  readonly kind: "ready";
}

export interface Started {
  readonly kind: "started";
  /** As `monotonicMs` tells it. */
  readonly at: number;
}

export interface Reached {
  readonly kind: "reached";
  readonly tasks: number;
  readonly at: number;
}
