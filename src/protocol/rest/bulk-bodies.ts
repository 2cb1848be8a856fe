// Many results in one request, and messages that count on their coordinator.

import Type from "typebox";
import { claimMax, deferFields, Seconds } from "./task-bodies.ts";
import { oneOf, orNull, ProblemBody, Status, Uuid } from "./words.ts";

export const marksMax = 1_000;
const countMax = 2 ** 31 - 1;

export const TaskCount = Type.Object({
  marks: Type.Array(
    Type.Object({
      index: Type.Optional(
        Type.Integer({
          ...{ minimum: 0, maximum: countMax },
          description: "The message's own number: its first mark counts, and no other. Without one, every mark counts.",
        }),
      ),
      status: oneOf(["done", "failed"]),
      error: Type.Optional(
        Type.Object({
          code: Type.Optional(orNull(Type.String())),
          message: Type.String({ description: "Its beginning may be shown among the coordinator's `errors`." }),
        }),
      ),
    }),
    { maxItems: marksMax, description: "None of them are a sign of life, as for a message that takes long." },
  ),
});

export const CountAnswer = Type.Object({
  status: Status,
  total: orNull(Type.Integer({ description: "Null until the task has deferred." })),
  done: Type.Integer(),
  failed: Type.Integer(),
});

export const settleStatuses = ["completed", "failed", "released", "deferred"] as const;

export const TasksSettle = Type.Object({
  worker_id: Uuid,
  results: Type.Array(
    Type.Object({
      id: Uuid,
      attempt: Type.Integer({ minimum: 1, maximum: countMax }),
      status: oneOf(settleStatuses),
      result: Type.Optional(Type.Unknown()),
      error: Type.Optional(orNull(Type.String())),
      error_code: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
      error_details: Type.Optional(Type.Unknown()),
      retryable: Type.Optional(Type.Boolean({ description: "With `failed`: false where another attempt is no use." })),
      delay_seconds: Type.Optional(Seconds),
      reason: Type.Optional(Type.String({ maxLength: 255, description: "With `released`: for the history." })),
      checkpoint: Type.Optional(Type.Unknown()),
      ...deferFields,
    }),
    { minItems: 1, maxItems: claimMax },
  ),
});

export const SettleAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Uuid,
      ok: Type.Boolean(),
      problem: Type.Optional(ProblemBody),
    }),
    { description: "In the order of the request." },
  ),
});
