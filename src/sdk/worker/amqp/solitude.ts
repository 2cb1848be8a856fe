// An operation that may end its process must not take others along: those that only waited would seem to have been tried
// too. Before one runs that is under suspicion whatever waits here goes elsewhere, and no second one of its kind runs
// beside it.

import { type Alarm, realAlarm } from "../../amqp/alarms.ts";
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
  /** Handed in by tests. */
  readonly alarm?: Alarm;
}

/** One that hangs must not keep all others from coming for ever. */
const aloneMsMax = 600_000;

export function solitude({ begin, end, alarm = realAlarm }: SolitudeParts): Solitude {
  let whose: object | null = null;

  return {
    isTaken: () => whose !== null,
    async enter(run) {
      const mine = {};
      whose = mine;
      const leave = (): void => {
        if (whose !== mine) return;
        whose = null;
        end();
      };
      const silence = alarm(aloneMsMax, leave);
      try {
        await begin();
        return await run();
      } finally {
        silence();
        leave();
      }
    },
  };
}
