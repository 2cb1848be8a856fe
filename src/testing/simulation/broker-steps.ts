// What may happen between servers, a broker and its consumers. As in steps.ts, a step holds numbers only.

import fc from "fast-check";

export type BrokerStep =
  | { readonly do: "submit"; readonly server: number; readonly tasks: number; readonly delayMs: number | null }
  /** Takes a message, claims what it names, and ends it somehow, or not at all. */
  | { readonly do: "consume"; readonly server: number; readonly how: number }
  | { readonly do: "batch" | "purge" | "down" | "up" }
  | { readonly do: "crash"; readonly server: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "turn"; readonly turns: number };

export interface BrokerRun {
  readonly seed: number;
  readonly turns: number;
  readonly steps: readonly BrokerStep[];
}

const server = fc.nat(1);
const plain = { noNullPrototype: true } as const;
const step = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, plain) as fc.Arbitrary<BrokerStep>;
const of = (name: BrokerStep["do"]) => ({ do: fc.constant(name) });

export const brokerRuns: fc.Arbitrary<BrokerRun> = fc.record(
  {
    seed: fc.nat(2 ** 31 - 1),
    turns: fc.nat(6),
    steps: fc.array(
      fc.oneof(
        {
          arbitrary: step({
            ...{ ...of("submit"), server, tasks: fc.integer({ min: 1, max: 8 }) },
            delayMs: fc.option(fc.nat(3_000), { freq: 4 }),
          }),
          weight: 5,
        },
        { arbitrary: step({ ...of("consume"), server, how: fc.nat(9) }), weight: 9 },
        { arbitrary: step(of("batch")), weight: 2 },
        { arbitrary: step(of("purge")), weight: 1 },
        { arbitrary: step(of("down")), weight: 1 },
        { arbitrary: step(of("up")), weight: 2 },
        { arbitrary: step({ ...of("crash"), server }), weight: 1 },
        { arbitrary: step({ ...of("wait"), ms: fc.integer({ min: 1, max: 4_000 }) }), weight: 3 },
        { arbitrary: step({ ...of("turn"), turns: fc.integer({ min: 1, max: 12 }) }), weight: 4 },
      ),
      { minLength: 5, maxLength: 80, size: "max" },
    ),
  },
  plain,
);
