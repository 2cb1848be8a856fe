import Type from "typebox";
import { countMax } from "../../core/checks.ts";
import type { SkipReason } from "../../core/skip-reason.ts";
import { queryLengthMax } from "../../core/task-query.ts";
import { oneOf, orNull, Time, Uuid } from "./words.ts";

export const ActPath = Type.Object({ act_id: Uuid });

const Kind = oneOf(["cancel", "retry"]);

export const ActWords = Type.Object({
  act: Kind,
  q: Type.String({ maxLength: queryLengthMax, description: "Which tasks; an empty one picks all." }),
  note: Type.Optional(orNull(Type.String({ maxLength: 1_000, description: "Why, for the audit and the tasks." }))),
  expect: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: countMax,
      description: "Refused where more tasks match than this, or too many to count in time.",
    }),
  ),
});

export const Act = Type.Object({
  id: Uuid,
  act: Kind,
  q: Type.String(),
  note: orNull(Type.String()),
  by: Type.String({ description: "Who began it." }),
  state: oneOf(["running", "done", "stopped"]),
  matched: Type.Integer({ description: "Tasks found so far." }),
  done: Type.Integer(),
  skipped: Type.Integer({ description: "Left as they are." }),
  skips: Type.Object(
    {
      forbidden: Type.Integer({ description: "Not theirs to touch." }),
      over: Type.Integer({ description: "Over already, so that there is nothing to cancel." }),
      open: Type.Integer({ description: "Not over yet, so that there is nothing to retry." }),
      retried: Type.Integer({ description: "Retried already, alone or by another act." }),
      gone: Type.Integer({ description: "Not there any more." }),
    } satisfies Record<SkipReason, unknown>,
    { description: "How many were skipped for which reason." },
  ),
  failed: Type.Integer(),
  created_at: Time,
  finished_at: orNull(Time),
  errors: Type.Array(Type.Object({ task_id: Uuid, code: Type.String(), detail: Type.String() }), {
    description: "The first ten.",
  }),
});
