import Type from "typebox";
import { profileNames, workerStates } from "../../core/liveness.ts";
import { JobLabels, Policy, Push } from "./job-bodies.ts";
import { AnyObject, Name, oneOf, orNull, Time, Uuid } from "./words.ts";

export const SpecId = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: "With two or more colons the full name of a job; any other is `@global:specs:<id>`. May hold `/`.",
});

const contents = {
  schema: AnyObject,
  output: Type.Optional(AnyObject),
  queue: Type.Optional(orNull(Name)),
  labels: Type.Optional(orNull(JobLabels)),
  push: Type.Optional(orNull(Push)),
  policy: Type.Optional(Policy),
};

export const SpecBody = Type.Object(contents);

export const specsMax = 1_000;

export const SpecsBody = Type.Object({
  specs: Type.Array(Type.Object({ id: SpecId, ...contents }), { minItems: 1, maxItems: specsMax }),
});

export const SpecDiffBody = Type.Object({ id: SpecId, schema: AnyObject, output: Type.Optional(AnyObject) });

export const SpecConditions = Type.Object({
  "if-none-match": Type.Optional(Type.String({ description: "`*`: only where nothing is registered yet." })),
  "if-match": Type.Optional(
    Type.String({ description: "`*`, or the checksum in quotes: only where this is what is registered." }),
  ),
});

export const SpecChange = Type.Object({
  kind: oneOf(["same", "compatible", "breaking"]),
  differences: Type.Array(
    Type.Object({ pointer: Type.String(), kind: oneOf(["compatible", "breaking"]), detail: Type.String() }),
  ),
});

export const PutSpec = Type.Object({
  id: Type.String({ description: "As it was given." }),
  job: Type.String({ description: "Full name." }),
  checksum: Type.String(),
  created: Type.Boolean(),
  change: orNull(SpecChange),
});

export const SpecDiff = Type.Object({
  id: Type.String(),
  job: Type.String(),
  checksum: Type.String({ description: "The one it would have." }),
  registered_checksum: orNull(Type.String()),
  change: orNull(SpecChange),
});

export const Spec = Type.Object({
  id: Type.String(),
  job: Type.String({ description: "Full name." }),
  checksum: Type.String(),
  source: oneOf(["worker", "explicit", "internal"]),
  schema: AnyObject,
  output: orNull(AnyObject),
  queue: orNull(Type.String()),
  labels: orNull(JobLabels),
  policy: orNull(Policy),
  push: orNull(AnyObject),
  created_at: Time,
  since: Time,
});

export const JobVersions = Type.Object({
  job: Type.String({ description: "Full name." }),
  checksum: Type.String({ description: "The registered one." }),
  since: Time,
  runnable: Type.Boolean({ description: "Whether somebody can run a task that asks for nothing special." }),
  reason: orNull(Type.String({ description: "Why nobody can." })),
  versions: Type.Array(
    Type.Object({
      checksum: orNull(Type.String({ description: "Null: fit for whatever is registered." })),
      matching: Type.Boolean(),
      worker_count: Type.Integer(),
      workers: Type.Array(
        Type.Object({
          id: Uuid,
          name: orNull(Type.String()),
          hostname: orNull(Type.String()),
          state: oneOf(workerStates),
          profile: oneOf(profileNames),
          draining: Type.Boolean(),
        }),
        { description: "Not more than 100." },
      ),
    }),
    { description: "The registered one first, then those with the most workers; not more than 100." },
  ),
});
