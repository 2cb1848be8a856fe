import Type from "typebox";
import { pauseKinds } from "../../core/pause.ts";
import { Name, oneOf, orNull, Time, Uuid } from "./words.ts";

/** A year. */
const secondsMax = 31_536_000;
const Seconds = Type.Number({ minimum: 0, maximum: secondsMax });

const note = {
  note: Type.Optional(orNull(Type.String({ maxLength: 1_000, description: "Why. It is kept and shown." }))),
};

export const NoteWords = Type.Object(note);

export const PauseWords = Type.Object({
  ...note,
  for_seconds: Type.Optional(
    orNull(Type.Number({ exclusiveMinimum: 0, maximum: secondsMax, description: "It ends by itself after that." })),
  ),
  until: Type.Optional(orNull(Time)),
});

const deadline = {
  deadline_seconds: Type.Optional(
    orNull(Type.Number({ ...Seconds, description: "What it still holds then goes to others. Absent: never." })),
  ),
};

export const DrainWords = Type.Object({ ...note, ...deadline });

export const ConcurrencyWords = Type.Object({
  ...note,
  value: orNull(
    Type.Integer({ minimum: 1, maximum: 10_000, description: "It holds no more than so many. Null: as it wants." }),
  ),
});

export const DrainManyWords = Type.Object({
  ...note,
  ...deadline,
  label: Type.String({ minLength: 3, maxLength: 600, description: "`key=value`: all workers that carry it." }),
  at_a_time: Type.Integer({ minimum: 1, maximum: 1_000, default: 1 }),
});

export const AckWords = Type.Object({
  ok: Type.Optional(Type.Boolean({ description: "True where absent." })),
  detail: Type.Optional(orNull(Type.String({ maxLength: 4_096 }))),
});

/** Why nothing new is given out. */
export const PauseView = Type.Object({
  by: Type.String(),
  note: orNull(Type.String()),
  at: Time,
  until: orNull(Time),
});

export const NamedPause = Type.Object({
  kind: oneOf(pauseKinds),
  name: Type.String({ description: "Of a job or a queue; the id of a worker." }),
  ...PauseView.properties,
});

export const QueueSummary = Type.Object({
  name: Type.String(),
  waiting: Type.Integer({ description: "Some seconds old at most." }),
  held: Type.Integer(),
  pause: orNull(PauseView),
});

export const DrainView = Type.Object({
  by: Type.String(),
  note: orNull(Type.String()),
  at: Time,
  deadline: orNull(Time),
});

export const DrainPlan = Type.Object({
  id: Uuid,
  label: Type.String(),
  at_a_time: Type.Integer(),
  deadline_seconds: orNull(Type.Number()),
  ...{ by: Type.String(), note: orNull(Type.String()), at: Time },
  waiting: Type.Array(Uuid, { description: "Whose turn has not come." }),
  draining: Type.Array(Uuid),
  done: Type.Array(Uuid, { description: "They hold nothing any more." }),
});

export const Command = Type.Object({
  id: Uuid,
  type: Type.String({ description: "`pause`, `resume`, `drain`, `concurrency` or `evict`." }),
  args: orNull(Type.Record(Type.String(), Type.Unknown())),
  ...{ by: Type.String(), note: orNull(Type.String()), at: Time },
  expires_at: orNull(Time),
  delivered_at: orNull(Time),
  acked_at: orNull(Time),
  ok: orNull(Type.Boolean({ description: "What the worker said of it." })),
  detail: orNull(Type.String()),
});

export const QueuePath = Type.Object({ queue: Name });
export const DrainPath = Type.Object({ drain_id: Uuid });
export const CommandPath = Type.Object({ worker_id: Uuid, command_id: Uuid });
