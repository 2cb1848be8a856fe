import type { Pause } from "../../../core/pause.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import type { ExplainedTask } from "../../../engine/desks/explain-desk.ts";
import type { WorkerFact } from "../../../engine/desks/explain-workers.ts";
import type { explainRoutes } from "../../../protocol/rest/explain-routes.ts";
import { type Handlers, json } from "../call.ts";
import { isoTime } from "../time.ts";

export function explainHandlers({ explains }: Desks): Handlers<keyof typeof explainRoutes> {
  return {
    async explainTask({ who, params }) {
      return json(200, explanation(await explains.explain(who, params.task_id)));
    },
  };
}

function explanation({ record: { card }, cause, sentence, facts }: ExplainedTask) {
  const { position, limit, by, worker, pushFailure, message } = facts;
  return {
    ...{ task_id: card.id, state: facts.state, cause, sentence },
    facts: {
      position: position?.position ?? null,
      position_exact: position?.exact ?? null,
      run_at: isoTime(facts.runAt),
      failures: facts.failures,
      last_error: facts.lastError,
      refusal: facts.refusal,
      job: facts.job,
      job_exists: !facts.jobGone,
      job_pause: pauseWords(facts.jobPause),
      queue: facts.queue,
      queue_pause: pauseWords(facts.queuePause),
      labels: facts.labels,
      checksum: facts.checksum,
      limit: limit === null ? null : { max_running: limit.maxRunning, running: limit.running },
      push: by === "target" ? { failure: pushFailure } : null,
      message:
        message === null
          ? null
          : {
              told: message.told,
              broker_away_since: isoTime(message.awaySince),
              waiting: message.waiting,
              waiting_max: message.waitingMax,
              consumers: message.consumers,
              republished: message.republished,
            },
      parent_id: card.parent,
      parent_cancelled: facts.parentCancelled,
      // What the servers have in hand is in no worker's, as the task itself says too.
      worker_id: by === "servers" ? null : worker,
      workers_total: facts.workersTotal,
      workers: facts.workers.map(workerWords),
      last_seen_at: isoTime(facts.lastSeenAt),
    },
  };
}

function workerWords({ pause, seenAt, askedAt, unfit: _, unaskedMs: __, ...fact }: WorkerFact) {
  return { ...fact, pause: pauseWords(pause), seen_at: isoTime(seenAt), asked_at: isoTime(askedAt) };
}

function pauseWords(pause: Pause | null) {
  if (pause === null) return null;
  const { by, note, at, until } = pause;
  return { by, note, at: isoTime(at), until: isoTime(until) };
}
