// An operation that may end its process must not take others along: those that only waited would seem to have been tried
// too. Before one runs that is under suspicion whatever waits here goes elsewhere, and no second one of its kind runs
// beside it.

import type { Verdict } from "../../amqp/consuming.ts";

export interface Solitude {
  /** One under suspicion runs, or is about to. */
  isTaken(): boolean;
  /** Runs one under suspicion; only where nobody has it. */
  enter(run: () => Promise<Verdict>): Promise<Verdict>;
}

export interface SolitudeParts {
  /** Resolves when nothing waits here, and nothing comes until the end. */
  begin(): Promise<void>;
  end(): void;
}

export function solitude({ begin, end }: SolitudeParts): Solitude {
  let isTaken = false;

  return {
    isTaken: () => isTaken,
    async enter(run) {
      isTaken = true;
      try {
        await begin();
        return await run();
      } finally {
        isTaken = false;
        end();
      }
    },
  };
}
