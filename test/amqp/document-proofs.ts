// Which test stands for which sentence of the document, by words of the sentence.

export const folders = {
  amqp: "test/amqp",
  cli: "test/cli",
  e2e: "test/e2e",
  sdk: "src/sdk/amqp",
  protocol: "src/protocol/amqp",
  up: "src/cli/up",
} as const;

/** A folder and a test file in it, and words of a test's name; the sentence itself where these are left out. */
export type Proof = readonly [sentence: string, file: `${keyof typeof folders}/${string}`, words?: string];

const theWhole: readonly Proof[] = [
  ["operations are resolved by name from the OperationRegistry", "sdk/operation-registry"],
  ["receive only a database session and an emit callback", "sdk/operation-registry"],
  [
    "long-running Python processes (one per RabbitMQ queue)",
    "amqp/command",
    "Each process is bound to a single RabbitMQ queue",
  ],
];

const baseWorker: readonly Proof[] = [
  ["transitions it to RUNNING, writes a job.started event, and commits", "amqp/two-sessions", "After this commit"],
  ["After this commit the job is visible as running to any monitoring tool or frontend", "amqp/two-sessions"],
  ["calls operation.execute(session, payload, emit=emit)", "amqp/two-sessions"],
  [
    "On success, transitions the job to SUCCEEDED",
    "amqp/two-sessions",
    "is seen when it has succeeded, and not before",
  ],
  ["or marks it as deferred if the operation returns OperationResult(deferred=True)", "amqp/two-sessions"],
  ["On exception, transitions to FAILED, stores the error class name and message", "amqp/two-sessions"],
  ["stores the error class name and message", "amqp/queue-consumer"],
  ["and re-raises", "amqp/base-worker", "Re-raises any exception from the operation"],
  ["leaves the claim committed (RUNNING is visible) while the result is not", "amqp/processes"],
  ["No session is held open across a long-running GPU inference call", "amqp/two-sessions"],
  ["the consumer re-publishes it after delay_seconds", "amqp/exceptional-flows"],
  ["the job is reset to QUEUED", "amqp/queue-consumer"],
  ["the child transitions to CANCELLED without running", "amqp/queue-consumer"],
  ["a fallback session marks the job FAILED so it is never permanently stuck in RUNNING", "amqp/two-sessions"],
  ["the DB connection drops mid-operation", "amqp/two-sessions"],
  ["the execute session fails to commit", "sdk/sessions"],
  ["Every state change is recorded as a JobEvent row", "amqp/base-worker", "every state change is recorded"],
  [
    "it receives a job_id and handles the rest",
    "amqp/base-worker",
    "Claim and execute a single job identified by job_id",
  ],
  ["Extend the leased_until timestamp for a running job", "amqp/base-worker"],
  ["No-op when the job is no longer in RUNNING state", "amqp/base-worker"],
  ["Claim and execute a single job identified by job_id", "amqp/base-worker"],
  ["Silently returns if the job does not exist or is not in QUEUED status", "amqp/base-worker"],
  ["resolves the operation from the registry", "amqp/base-worker"],
  ["Postgres deadlocks", "amqp/exceptional-flows"],
  ["brief connection resets", "amqp/exceptional-flows"],
  ["retried up to 3 times with exponential backoff before the job is marked FAILED", "amqp/exceptional-flows"],
  ["Re-raises any exception from the operation after recording FAILED status", "amqp/base-worker"],
  ["Transition a RUNNING job back to QUEUED so it can be re-dispatched", "amqp/base-worker"],
  ["SIGTERM/SIGINT arrives mid-job", "amqp/processes"],
  ["rather than force-failing the in-flight job", "amqp/queue-consumer"],
  ["with a cleared leased_until and started_at", "amqp/processes"],
  ["the original delivery has already been acked to avoid AMQP consumer_timeout", "amqp/acknowledging"],
  ["when the job is no longer RUNNING", "amqp/base-worker"],
  ["the UPDATE could not commit", "amqp/base-worker"],
  ["Idempotent on terminal states", "amqp/base-worker"],
  ["Raised when a worker is asked to exit while a job is in flight", "amqp/base-worker", "WorkerShutdown is the net"],
  ["The session is then closed", "amqp/two-sessions", "No session is held open across"],
  ["transitions the job from QUEUED → RUNNING and commits", "amqp/two-sessions", "After this commit"],
  ["resolves the operation, runs it, and transitions to SUCCEEDED or FAILED", "amqp/two-sessions", "On exception"],
  ["The caller (QueueConsumer) is responsible for acking/nacking", "amqp/acknowledging", "has already been acked"],
  [
    "Uses a fresh session so the heartbeat never interferes with the execute session’s transaction",
    "amqp/command",
    "also while the operation blocks the whole program",
  ],
  ["to mark the in-flight job FAILED", "amqp/base-worker", "Used … to mark the in-flight job FAILED"],
];

const entryPoints: readonly Proof[] = [
  ["Each process is bound to a single RabbitMQ queue", "amqp/command"],
  ["registers all operations at startup", "amqp/queue-map"],
  ["Start the full stack (all workers + API + frontend)", "cli/up", "a server and its workers start together"],
  ["Start the full stack (all workers + API + frontend)", "cli/up-broker"],
  ["manage.sh start [N]", "cli/up-broker", "every queue of RabbitMQ has its N processes"],
  ["manage.sh start [N]", "up/plan", "where every job names its queue, these have their processes"],
  ["Start the stale job reaper (periodic cleanup process)", "amqp/command"],
  [
    "Start a single worker manually (for debugging)",
    "amqp/command",
    "Each process is bound to a single RabbitMQ queue",
  ],
];

const consumers: readonly Proof[] = [
  [
    "selected by the queue configuration",
    "protocol/topology",
    "six queues carry ids of jobs, its four batch queues operations",
  ],
  ["Reads a job UUID from the queue", "amqp/queue-map"],
  ["delegates to BaseWorker.handle_job()", "amqp/queue-consumer"],
  ["with status transitions and a JobEvent audit log", "amqp/queue-consumer"],
  ["protea.ping: smoke test", "amqp/queue-map"],
  ["serialised embedding coordinator", "amqp/queue-map", "runs one job at a time"],
  ["Reads a raw serialised operation payload from the queue", "amqp/queue-map"],
  ["executes it directly, without a Job row", "amqp/operation-consumer"],
  ["atomic increments to the parent job's progress_current counter", "amqp/coordinators"],
  [
    "protea.embeddings.write: bulk pgvector insert",
    "amqp/operation-consumer",
    "a batch worker hands on to a write worker",
  ],
  [
    "Deferred coordinator jobs (e.g. compute_embeddings, predict_go_terms)",
    "e2e/pipeline",
    "every batch is counted once, and the coordinator ends",
  ],
  ["protea.jobs: ingestion", "amqp/queue-map", "Reads a job UUID from the queue"],
  ["protea.predictions: serialised prediction coordinator", "amqp/queue-map", "runs one job at a time"],
  ["protea.training: serialised dataset-export coordinator", "amqp/queue-map", "runs one job at a time"],
  ["protea.evaluations: run_cafa_evaluation runner", "amqp/queue-map", "Reads a job UUID from the queue"],
  ["protea.embeddings.batch: GPU inference per batch", "amqp/queue-map", "Reads a raw serialised operation payload"],
  ["protea.predictions.batch: KNN search + GO transfer", "amqp/queue-map", "Reads a raw serialised operation payload"],
  ["protea.predictions.write: bulk GOPrediction insert", "amqp/queue-map", "Reads a raw serialised operation payload"],
];

const shutdown: readonly Proof[] = [
  ["drain the current batch and exit cleanly rather than being killed mid-operation", "amqp/processes"],
  ["marks the job FAILED with error_code=WorkerShutdown", "sdk/shutdown-guard"],
  ["exits the process with os._exit(143)", "sdk/shutdown-guard"],
  ["If the callback finishes naturally before the timer fires, cancel() releases the watchdog", "sdk/shutdown-guard"],
  ["the leased_until column tracks process liveness", "amqp/command"],
  ["decide when an abandoned job is safe to re-enqueue", "amqp/processes", "a crash in the execute phase"],
  ["the job will simply expire at the next reaper cycle", "amqp/base-worker"],
  ["Begin extending the lease for job_id every interval seconds", "sdk/heartbeat-loop"],
  ["a second start without an intervening stop is a no-op", "sdk/heartbeat-loop"],
  ["Signal the heartbeat thread to exit and wait briefly for it", "sdk/heartbeat-loop"],
  [
    "Started by QueueConsumer around BaseWorker.handle_job",
    "amqp/command",
    "also while the operation blocks the whole program",
  ],
  ["interval_seconds: int", "sdk/heartbeat-loop", "every interval seconds"],
  ["grace_seconds: int", "sdk/shutdown-guard", "if the job has not finished within grace_seconds the timer fires"],
  ["property current_job_id: UUID | None", "sdk/shutdown-guard"],
  ["property timer: Timer | None", "sdk/shutdown-guard"],
  ["the worst case is a no-op force-fail", "sdk/shutdown-guard", "for a job which is no longer tracked does nothing"],
  ["the watchdog tries it before falling back to force_fail", "sdk/shutdown-guard"],
  ["the caller is expected to republish", "sdk/shutdown-guard"],
  ["force_fail remains the safety net", "sdk/shutdown-guard"],
  ["a second SIGTERM during shutdown does not arm a second timer", "sdk/shutdown-guard"],
  ["Safe to call repeatedly", "sdk/shutdown-guard", "safe to call repeatedly"],
  ["exit cleanly", "amqp/queue-consumer", "an idle consumer stops when it is told to"],
  ["exit cleanly", "amqp/consumer-away", "a worker that waits can be stopped"],
  [
    "If a job is in flight, the worker process dies before the FAILED transition is committed",
    "amqp/processes",
    "SIGTERM/SIGINT arrives mid-job",
  ],
  [
    "The consumer reports the in-flight job id via track(job_id) / untrack()",
    "sdk/shutdown-guard",
    "no longer tracked",
  ],
  ["The consumer calls arm(job_id) from its signal handler", "amqp/command", "the exit code is 143"],
  ["Background thread that periodically extends a job’s lease", "amqp/reaper"],
  ["Schedule the force-fail watchdog if one is not already armed", "sdk/shutdown-guard", "does not arm a second timer"],
  ["Cancel the pending watchdog (if any)", "sdk/shutdown-guard", "cancel() releases the watchdog"],
  ["Mark job_id as the in-flight job", "sdk/shutdown-guard", "no longer tracked"],
  ["Clear the in-flight tracker after the callback finishes", "sdk/shutdown-guard", "no longer tracked"],
];

const reaper: readonly Proof[] = [
  ["a configurable timeout (default: 21 600 seconds = 6 hours)", "amqp/reaper"],
  ["The reaper runs every 60 seconds", "sdk/stale-job-reaper"],
  ["it is considered alive and left in place", "amqp/reaper"],
  ["the actual work is done by child batch messages", "amqp/reaper"],
  ["Only truly stalled jobs — no events for stall_seconds — are marked FAILED", "amqp/reaper-postgres"],
  ["a job under the timeout is never touched", "amqp/reaper"],
  ["a job under the timeout is never touched", "amqp/reaper-postgres"],
  ["LEASE_REQUEUE_EVENT", "sdk/stale-job-reaper"],
  ["LEASE_EXPIRED_FAILED_EVENT", "sdk/stale-job-reaper"],
  ["to honour the max_lease_requeues budget before falling back to lease_expired", "amqp/reaper-postgres"],
  ["max_lease_requeues: int = 3", "amqp/reaper"],
  ["timeout_seconds: int = 3600, *, stall_seconds: int = 1800", "amqp/reaper-thresholds"],
  ["max_lease_requeues: int = 3", "amqp/reaper-thresholds", "decides by the thresholds that it is given"],
  ["reaper = StaleJobReaper(session_factory, timeout_seconds=21600)", "amqp/reaper-thresholds"],
  ["The StaleJobReaper is a periodic background process", "amqp/reaper-postgres"],
  [
    "It marks them as FAILED with error code JobTimeout",
    "amqp/reaper",
    "marks them as FAILED with error code JobTimeout",
  ],
  [
    "transitions any job that has been in RUNNING status for longer than timeout_seconds to FAILED",
    "amqp/reaper",
    "marks them as FAILED with error code JobTimeout",
  ],
  ["reaper.run(interval_seconds=60)", "sdk/stale-job-reaper", "The reaper runs every 60 seconds"],
  [
    "Event written when the reaper gives up after exhausting requeue attempts",
    "amqp/reaper-postgres",
    "before falling back to lease_expired",
  ],
  [
    "Event name written every time the reaper re-enqueues a lease-expired job",
    "amqp/reaper-postgres",
    "the reaper's process alone finds what has expired",
  ],
];

export const proofs: readonly Proof[] = [
  ...[...theWhole, ...baseWorker, ...entryPoints, ...consumers, ...shutdown, ...reaper],
];
