import Type from "typebox";
import { oneOf, orNull, Status, Time, Uuid } from "./words.ts";

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const CallbackQuery = Type.Object({ attempt: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) });

/** Either how it ended, or how far it is. */
export const CallbackBody = Type.Object({
  outcome: Type.Optional(oneOf(["succeeded", "failed"])),
  data: Type.Optional(Type.Unknown({ description: "With `succeeded`: the result." })),
  error: Type.Optional(
    Type.Object(
      {
        message: Type.String(),
        code: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
        details: Type.Optional(Type.Unknown()),
        retryable: Type.Optional(Type.Boolean()),
      },
      { description: "With `failed`. Unless `retryable` is false, the job's policy may grant another attempt." },
    ),
  ),
  progress: Type.Optional(
    Type.Object({
      current: Count,
      total: Type.Optional(orNull(Count)),
      message: Type.Optional(orNull(Type.String({ maxLength: 4_096 }))),
    }),
  ),
});

export const CallbackAnswer = Type.Object({
  task_id: Uuid,
  status: Status,
  attempt: Type.Integer(),
  lease_until: orNull(Time),
});
