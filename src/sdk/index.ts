// The SDK: what `import … from "leadhand"` gives.

export { TaskFailed } from "./client/task-failed.ts";
export type {
  JobSummary,
  LogLine,
  RoomSummary,
  SubmitOptions,
  TaskStatus,
  TaskView,
  WaitOptions,
  WorkerSummary,
} from "./client/words.ts";
export { Client, type ClientOptions, type JobReference, type Submission, type TaskQuery } from "./client.ts";
export type { TokenSource } from "./credentials.ts";
export { Fail, type FailOptions, RetryLater } from "./ending.ts";
export {
  type AnySchema,
  type Handler,
  type JobDefinition,
  type JobOptions,
  type JsonSchema,
  job,
  type Task,
  type TaskLog,
} from "./job.ts";
export { type FieldFault, type ProblemDocument, ServerProblem, ServerUnreachable } from "./problem.ts";
export { type AbortCause, TaskAborted } from "./worker/attempt.ts";
export type { WorkerLog, WorkerOptions } from "./worker/options.ts";
export { Worker, type WorkerEvents } from "./worker.ts";
