import Type from "typebox";
import type { RouteSpec } from "../rest/route.ts";
import { orNull, Uuid } from "../rest/words.ts";
import * as examples from "./examples.ts";
import { Block, FleetJob, JobType, PolledJob } from "./words.ts";

const WorkerUuid = Type.String({ description: "Of a worker of yours." });
const jobList = {
  description: "The newest 500, newest first.",
  schema: Type.Array(FleetJob),
  example: [examples.fleetJob],
};

/** How many jobs one poll may take, and how many blocks one registration may bring. */
const pollMax = 100;
const blocksMax = 500;
const logLinesMax = 10_000;

export const blackboardRoutes = {
  registerBlocks: {
    ...{ id: "registerBlocks", method: "POST", path: "/function-blocks/register", tag: "fleet" },
    summary: "Register function blocks of a worker",
    description:
      "For the worker's owner. Several workers may share a block, with the same schemas: one that is registered with " +
      "others is rejected, and so is one whose id cannot be told apart; the rest is taken. Blocks stay when their workers go.",
    body: Type.Object({ workerUuid: WorkerUuid, functionBlocks: Type.Array(Block, { maxItems: blocksMax }) }),
    example: examples.blockRegister,
    answers: {
      200: {
        description: "What was taken, and what was not.",
        schema: Type.Object({
          registered: Type.Array(Type.String()),
          rejected: Type.Array(Type.Object({ id: Type.String(), reason: Type.String() })),
        }),
        example: examples.blocksRegistered,
      },
    },
    problems: ["worker-not-found"],
  },
  pollJob: {
    ...{ id: "pollJob", method: "POST", path: "/blackboard/job", tag: "fleet" },
    summary: "Poll for jobs",
    description:
      "For the worker's owner. Oldest first, within a priority; each job is given to one worker. A worker that is not " +
      "ONLINE, is paused or draining, or holds as many as an operator allows, gets none, and is told why. Polling is no " +
      "heartbeat.",
    body: Type.Object({
      workerUuid: WorkerUuid,
      max: Type.Optional(Type.Integer({ minimum: 1, maximum: pollMax, description: "1 where absent." })),
    }),
    example: examples.poll,
    answers: {
      200: {
        description: "The jobs; none where there is nothing to do.",
        schema: Type.Object({
          jobs: Type.Array(PolledJob),
          reason: Type.Optional(Type.String({ description: "Why this worker may have nothing now." })),
        }),
        headers: { "leadhand-attempts": "Which attempt each of the jobs is, in their order, separated by commas." },
        example: examples.polled,
      },
    },
    problems: ["worker-not-found"],
  },
  pushResult: {
    ...{ id: "pushResult", method: "POST", path: "/blackboard/job/result", tag: "fleet" },
    summary: "Push the result of a job",
    description:
      "For the worker's owner, also while it is UNREACHABLE. What comes too late is refused, and kept in the history.",
    headers: Type.Object({
      "leadhand-attempt": Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 2_147_483_647,
          description: "Which attempt is meant; the current one where absent.",
        }),
      ),
    }),
    body: Type.Object({
      workerUuid: WorkerUuid,
      jobId: Type.String(),
      success: Type.Boolean(),
      resultData: Type.Optional(Type.Unknown()),
      retryable: Type.Optional(
        Type.Boolean({
          description: "Of a failure: false where another attempt is no use, whatever the policy grants.",
        }),
      ),
      error: Type.Optional(
        orNull(
          Type.Object({
            code: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
            message: Type.Optional(Type.String()),
          }),
        ),
      ),
      logs: Type.Optional(
        orNull(Type.Array(Type.String(), { maxItems: logLinesMax, description: "Lines for the log of the job." })),
      ),
    }),
    example: examples.push,
    answers: {
      200: {
        description: "It is written.",
        schema: Type.Object({ jobId: Uuid, status: Type.Literal("pushed") }),
        example: examples.pushed,
      },
    },
    problems: ["worker-not-found", "task-not-found", "lease-lost", "invalid-task-transition"],
  },
  listBlackboard: {
    ...{ id: "listBlackboard", method: "GET", path: "/blackboard/jobs", tag: "fleet" },
    summary: "List jobs",
    query: Type.Object({
      status: Type.Optional(Type.String({ description: "`pending`, `polled`, `pushed` or `failed`." })),
    }),
    answers: { 200: jobList },
    problems: ["invalid-status"],
  },
  listActive: {
    ...{ id: "listActive", method: "GET", path: "/blackboard/jobs/active", tag: "fleet" },
    summary: "List jobs that are pending or polled",
    answers: { 200: jobList },
    problems: [],
  },
  createJob: {
    ...{ id: "createJob", method: "POST", path: "/blackboard/jobs", tag: "fleet" },
    summary: "Create a job",
    description: "One whose block nobody offers stays pending.",
    body: Type.Object({
      type: Type.Optional(JobType),
      functionBlock: Type.String({ minLength: 1, description: "`package/name:version`." }),
      parameters: Type.Unknown(),
      context: Type.Optional(Type.Unknown()),
    }),
    example: examples.jobCreate,
    answers: {
      201: {
        description: "The job.",
        schema: FleetJob,
        example: {
          ...examples.fleetJob,
          status: "pending",
          workerUuid: null,
          polledAt: null,
          pushedAt: null,
          result: null,
        },
      },
    },
    problems: ["job-not-found", "too-many-pending", "too-many-lanes"],
  },
} as const satisfies Record<string, RouteSpec>;
