// What the fleet's document calls things. Ids are texts here: one that is none is not found, and no fault of form.

import Type from "typebox";
import { blockJobTypes, blockStatuses, failureReasons, fbTypes } from "../../core/block.ts";
import { labelsMax } from "../../core/lane.ts";
import { profileNames, workerStates } from "../../core/liveness.ts";
import { Policy } from "../rest/job-bodies.ts";
import { AnyObject, mapOf, Name, oneOf, orNull, Time, Uuid } from "../rest/words.ts";
import { Measure, Measures } from "../rest/worker-bodies.ts";

export const WorkerPath = Type.Object({ uuid: Type.String({ description: "Of the worker." }) });

export const FindDeleted = Type.Object({
  findDeleted: Type.Optional(Type.Boolean({ description: "Deleted workers too." })),
});

const Note = Type.Optional(orNull(Type.String({ maxLength: 1_000, description: "Why, for the audit." })));
export const CleanupWords = Type.Object({ note: Note });

export const State = oneOf(workerStates);

export const RegisterWords = Type.Object({
  name: Type.Optional(orNull(Name)),
  ipAddress: Type.Optional(orNull(Name)),
  hostname: Type.Optional(orNull(Name)),
  sdkVersion: Type.Optional(orNull(Name)),
  uuid: Type.Optional(
    orNull(Type.String({ maxLength: 255, description: "One of your workers that is not deleted: it is there again." })),
  ),
  os: Type.Optional(orNull(Name)),
  concurrency: Type.Optional(
    orNull(Type.Integer({ minimum: 1, maximum: 10_000, description: "How many jobs it runs side by side." })),
  ),
  queues: Type.Optional(
    orNull(Type.Array(Name, { maxItems: 100, description: "It gets jobs of these queues alone." })),
  ),
  labels: Type.Optional(mapOf(Type.String({ maxLength: 255 }), { maxProperties: labelsMax })),
  commands: Type.Optional(
    orNull(
      Type.Boolean({
        description:
          "It obeys the `commands` that its pings are answered with, and acknowledges them. It gets none where absent, " +
          "whatever it said before: the server acts alone.",
      }),
    ),
  ),
});

export const Registered = Type.Object({
  uuid: Uuid,
  state: State,
  heartbeatIntervalMs: Type.Integer({ description: "How often to ping." }),
});

/** How a worker is; it may say nothing at all. */
export const PingWords = Type.Object({ status: Type.Optional(orNull(Measures)), blockedMs: Measure });

export const Pinged = Type.Object({
  uuid: Uuid,
  state: State,
  lastPingAt: Time,
  cancel: Type.Optional(
    Type.Array(Uuid, {
      description:
        "Jobs of this worker to stop: cancelled, failed by the engine, or taken away. Only if there are any.",
    }),
  ),
  commands: Type.Optional(
    Type.Array(AnyObject, {
      description:
        "What an operator asks of this worker: `id`, `type` and more; each comes again until it is acknowledged, at " +
        "`/v1/workers/{worker_id}/commands/{command_id}/ack`. Only if there are any, and it registered with `commands`.",
    }),
  ),
});

export const Unregistered = Type.Object({ uuid: Uuid, state: State });

export const FleetWorker = Type.Object({
  uuid: Uuid,
  name: orNull(Type.String()),
  ipAddress: orNull(Type.String()),
  hostname: orNull(Type.String()),
  sdkVersion: orNull(Type.String()),
  profile: oneOf(profileNames, { description: "The door it came in by, with its thresholds." }),
  state: State,
  registeredAt: Time,
  lastPingAt: Time,
  unregisteredAt: orNull(Time),
  deletedAt: orNull(Time),
});

export const Cleared = Type.Object({ deleted: Type.Integer(), workers: Type.Array(Uuid) });

/** Of an id. What cannot be one is a reason to reject this block, and no fault of the whole request. */
const Part = (description: string) => Type.String({ description });

export const Block = Type.Object({
  package: Part("Without a colon."),
  name: Part("Without a slash or a colon."),
  version: Part("Without a slash or a colon."),
  runOn: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
  fbType: Type.Optional(orNull(oneOf(fbTypes))),
  isPure: Type.Optional(Type.Boolean()),
  isIdempotent: Type.Optional(Type.Boolean()),
  parameterJsonSchema: Type.Optional(orNull(AnyObject)),
  resultDataJsonSchema: Type.Optional(orNull(AnyObject)),
  queue: Type.Optional(orNull(Name)),
  policy: Type.Optional(Policy),
});

export const FunctionBlock = Type.Object({
  id: Type.String({ description: "`package/name:version`." }),
  package: Type.String(),
  name: Type.String(),
  version: Type.String(),
  runOn: orNull(Type.String()),
  fbType: orNull(oneOf(fbTypes)),
  isPure: Type.Boolean(),
  isIdempotent: Type.Boolean(),
  parameterJsonSchema: Type.Unknown(),
  resultDataJsonSchema: Type.Unknown(),
});

export const JobType = oneOf(blockJobTypes);

export const PolledJob = Type.Object({
  id: Uuid,
  type: JobType,
  functionBlock: Type.String(),
  parameters: Type.Unknown(),
  context: Type.Unknown(),
});

export const FleetJob = Type.Object({
  id: Uuid,
  type: JobType,
  functionBlock: Type.String({ description: "`package/name:version`; the full name of a job that is no block." }),
  status: oneOf(blockStatuses),
  workerUuid: orNull(Uuid),
  createdAt: Time,
  polledAt: orNull(Time),
  pushedAt: orNull(Time),
  parameters: Type.Unknown(),
  context: Type.Unknown(),
  result: orNull(
    Type.Object({
      success: Type.Boolean(),
      data: Type.Unknown(),
      error: orNull(Type.Object({ code: orNull(Type.String()), message: Type.String() })),
    }),
  ),
  failureReason: orNull(oneOf(failureReasons)),
});
