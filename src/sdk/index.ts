// The SDK: what `import … from "leadhand"` gives.

export type { Alarm } from "./amqp/alarms.ts";
export { BaseWorker, type BaseWorkerOptions } from "./amqp/base-worker.ts";
export { HeartbeatLoop, type HeartbeatLoopOptions } from "./amqp/heartbeat-loop.ts";
export {
  type Operation,
  type OperationAnswer,
  type OperationContext,
  OperationRegistry,
  OperationResult,
  type OperationResultParts,
} from "./amqp/operation-registry.ts";
export { type ConsumerOptions, OperationConsumer, QueueConsumer } from "./amqp/queue-consumer.ts";
export { OtherThresholds, type ReaperThresholds } from "./amqp/reaper-thresholds.ts";
export { RetryLaterError } from "./amqp/retry-later-error.ts";
export type { Sessions } from "./amqp/sessions.ts";
export { ShutdownGuard, type ShutdownGuardOptions } from "./amqp/shutdown-guard.ts";
export {
  LEASE_EXPIRED_FAILED_EVENT,
  LEASE_REQUEUE_EVENT,
  StaleJobReaper,
  type StaleJobReaperOptions,
} from "./amqp/stale-job-reaper.ts";
export { WorkerShutdown } from "./amqp/worker-shutdown.ts";
export type { AuditLine, AuditQuery } from "./client/audit-words.ts";
export type {
  ClearedWorkers,
  CommandView,
  DrainOptions,
  DrainPlan,
  Fleet,
  NamedPause,
  NoteOptions,
  PauseOptions,
  PauseView,
  QueueSummary,
  WorkerDetail,
} from "./client/fleet.ts";
export { TaskFailed } from "./client/task-failed.ts";
export type {
  ChildrenView,
  JobSummary,
  LogLine,
  NodeSummary,
  PauseFact,
  RoomSummary,
  SubmitOptions,
  TaskExplanation,
  TaskQuery,
  TaskStatus,
  TaskView,
  WaitOptions,
  WorkerFact,
  WorkerSummary,
} from "./client/words.ts";
export { Client, type ClientOptions, type JobReference, type Submission } from "./client.ts";
export type { TokenSource } from "./credentials.ts";
export { Fail, type FailOptions, RetryLater } from "./ending.ts";
export {
  type AnySchema,
  type Deferral,
  type EmitLevel,
  type Handler,
  type JobDefinition,
  type JobOptions,
  type JsonSchema,
  job,
  type OnChildFailure,
  type OperationMessage,
  type RetryWords,
  type Task,
  type TaskAlert,
  type TaskLog,
} from "./job.ts";
export { type ClaimedTask, type TaskBody, TaskLost } from "./job-manager/claimed-task.ts";
export { Category, Extension, type ExtensionClass } from "./job-manager/extension.ts";
export type { ApiManager, ServerAddress } from "./job-manager/host-api.ts";
export { JobManager } from "./job-manager/job-manager.ts";
export type { ManagerLog } from "./job-manager/life.ts";
export type {
  JobManagerOptions,
  JobPolicy,
  ListenOptions,
  RegisterOptions,
  SubmitOptions as JobManagerSubmitOptions,
} from "./job-manager/options.ts";
export type { OwnSocketOptions } from "./job-manager/own-socket.ts";
export { Provider, type ProviderClass, type ProviderOptions } from "./job-manager/provider.ts";
export type { Register } from "./job-manager/register.ts";
export type { Execute } from "./job-manager/serving.ts";
export { type FieldFault, type ProblemDocument, ServerProblem, ServerUnreachable } from "./problem.ts";
export type { AckMode } from "./worker/amqp/task-loop.ts";
export type { Ending } from "./worker/attempt.ts";
export type { WorkerCommand } from "./worker/obedience.ts";
export type { WorkerLog, WorkerOptions } from "./worker/options.ts";
export { type AbortCause, TaskAborted } from "./worker/task-aborted.ts";
export { Worker, type WorkerEvents } from "./worker.ts";
