// What may happen in a simulation. A step holds numbers only; what they stand for is looked up when it is taken, in what
// is known by then. So a run stays meaningful when steps are taken away from it, and a failing one shrinks.

import fc from "fast-check";

export type Step =
  | {
      readonly do: "submit";
      readonly server: number;
      readonly tasks: number;
      readonly job: number;
      readonly delayMs: number | null;
      readonly parent: number | null;
      readonly key: number | null;
    }
  | { readonly do: "hire"; readonly server: number; readonly profile: number }
  | {
      readonly do: "claim";
      readonly server: number;
      readonly worker: number;
      readonly limit: number;
      readonly assign: boolean;
      readonly waitMs: number;
    }
  | { readonly do: "settle"; readonly server: number; readonly held: number; readonly move: number }
  /** A coordinator makes its children and waits for them in nobody's hands. */
  | { readonly do: "family"; readonly server: number; readonly held: number; readonly children: number }
  | { readonly do: "cancel"; readonly server: number; readonly task: number }
  | { readonly do: "silence" | "dismiss"; readonly server: number; readonly worker: number }
  /** A worker registers again, and may say what it still has. */
  | { readonly do: "return"; readonly server: number; readonly worker: number; readonly lists: boolean }
  | { readonly do: "sweep"; readonly server: number }
  | { readonly do: "crash"; readonly server: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "turn"; readonly turns: number };

// Plain objects, so that a failing run is printed as it would be written.
const step = <T extends Step>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record<T>(members, { noNullPrototype: true });

type Of<D extends Step["do"]> = Extract<Step, { readonly do: D }>;

const server = fc.nat(1);
const which = fc.nat(40);

const submit = step<Of<"submit">>({
  do: fc.constant("submit"),
  server,
  tasks: fc.integer({ min: 1, max: 3 }),
  job: fc.nat(2),
  delayMs: fc.option(fc.nat(3_000), { freq: 4 }),
  parent: fc.option(which, { freq: 2 }),
  key: fc.option(fc.nat(5), { freq: 4 }),
});

const claim = step<Of<"claim">>({
  do: fc.constant("claim"),
  server,
  worker: which,
  limit: fc.integer({ min: 1, max: 4 }),
  assign: fc.boolean(),
  waitMs: fc.constantFrom(0, 0, 700),
});

const settle = step<Of<"settle">>({ do: fc.constant("settle"), server, held: which, move: which });
const family = step<Of<"family">>({
  do: fc.constant("family"),
  server,
  held: which,
  children: fc.integer({ min: 1, max: 3 }),
});
const hire = step<Of<"hire">>({ do: fc.constant("hire"), server, profile: fc.nat(3) });
const cancel = step<Of<"cancel">>({ do: fc.constant("cancel"), server, task: which });
const leave = step<Of<"silence" | "dismiss">>({ do: fc.constantFrom("silence", "dismiss"), server, worker: which });
const comeBack = step<Of<"return">>({ do: fc.constant("return"), server, worker: which, lists: fc.boolean() });
const sweep = step<Of<"sweep">>({ do: fc.constant("sweep"), server });
const crash = step<Of<"crash">>({ do: fc.constant("crash"), server });
const wait = step<Of<"wait">>({ do: fc.constant("wait"), ms: fc.integer({ min: 1, max: 3_000 }) });
const turn = step<Of<"turn">>({ do: fc.constant("turn"), turns: fc.integer({ min: 1, max: 12 }) });

export interface Run {
  /** Of what is left to chance on the way: how long calls take, which are refused. */
  readonly seed: number;
  readonly turns: number;
  /** Servers that do not hear each other. */
  readonly deaf: boolean;
  readonly steps: readonly Step[];
}

export function runs(length: number): fc.Arbitrary<Run> {
  const steps = fc.oneof(
    { arbitrary: submit, weight: 5 },
    { arbitrary: claim, weight: 6 },
    { arbitrary: settle, weight: 9 },
    { arbitrary: family, weight: 2 },
    { arbitrary: hire, weight: 2 },
    { arbitrary: cancel, weight: 2 },
    { arbitrary: leave, weight: 1 },
    { arbitrary: comeBack, weight: 1 },
    { arbitrary: sweep, weight: 2 },
    { arbitrary: crash, weight: 1 },
    { arbitrary: wait, weight: 2 },
    { arbitrary: turn, weight: 5 },
  );
  return fc.record<Run>(
    {
      seed: fc.nat(2 ** 31 - 1),
      turns: fc.nat(6),
      deaf: fc.boolean(),
      steps: fc.array(steps, { minLength: 5, maxLength: length, size: "max" }),
    },
    { noNullPrototype: true },
  );
}
