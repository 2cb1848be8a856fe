// Accepting tasks. A call is one task or many, all or none; calls gather into one commit. Once it is answered, the task
// is on disk.

import { checkNameLength } from "../core/name.ts";
import { Problem } from "../core/problem.ts";
import { newTaskRow } from "../core/task-row.ts";
import type { AuditEntry, IdempotencyKey, JobRecord, NewTask, TaskRecord } from "../ports/records.ts";
import type { SubmitAnswer, SubmitCall } from "../ports/store.ts";
import type { Catalog } from "./catalog.ts";
import type { Depths } from "./depths.ts";
import type { Effects } from "./effects.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import type { Lanes, Place } from "./lanes.ts";
import type { Surroundings } from "./surroundings.ts";
import { createdTask, type TaskRequest } from "./task-request.ts";

export interface SubmitOptions {
  /** The same key and body get the first answer again, whatever became of the job and its limits since. */
  readonly key?: CallKey;
  /**
   * Told the job of each task just before the tasks are made, and again where a job has changed under the submit. Throws
   * where a task does not fit: what a task was checked by and what it is made for must not be two things.
   */
  readonly fits?: (jobs: readonly JobRecord[]) => void;
  /** Whose act it is, where that is worth an entry: told the ids of the tasks. */
  readonly audit?: (ids: readonly string[]) => AuditEntry;
}

/** Scope, key and hash of the body. */
type CallKey = Pick<IdempotencyKey, "scope" | "key" | "bodyHash">;

export interface Submitter {
  submit(requests: readonly TaskRequest[], options?: SubmitOptions): Promise<readonly TaskRecord[]>;
  quiet(): Promise<void>;
}

export interface SubmitParts {
  readonly catalog: Catalog;
  readonly lanes: Lanes;
  readonly effects: Effects;
  readonly depths: Depths;
  readonly width: number;
}

/** A job that keeps changing under a submit is somebody's loop, not a race. */
const triesMax = 5;

export function submitter(around: Surroundings, parts: SubmitParts): Submitter {
  const { store, clock, ids, telemetry, settings } = around;
  const { catalog, lanes, effects, depths } = parts;

  const commits: GroupCommit<SubmitCall, SubmitAnswer> = groupCommit({
    async run(calls) {
      const startedAt = clock.now();
      const answers = await telemetry.span("leadhand.submit", { calls: calls.length }, () => store.submit(calls));
      telemetry.committed("submit", calls.length, clock.now() - startedAt);
      return answers;
    },
    weigh: (call) => call.tasks.length,
    weightMax: settings.batchMax,
    width: parts.width,
  });

  async function submit(requests: readonly TaskRequest[], options: SubmitOptions = {}): Promise<readonly TaskRecord[]> {
    if (options.key !== undefined) checkNameLength("/idempotency_key", options.key.key);
    for (let tries = 1; ; tries += 1) {
      let call: SubmitCall;
      try {
        call = callOf(requests, knownPlaces(lanes, requests) ?? (await lanes.places(requests)), options);
      } catch (refusal) {
        return firstAnswer(options.key, refusal);
      }
      const answer = await commits.call(call);
      if (answer.kind === "job-changed" && tries < triesMax) {
        await catalog.refresh();
        continue;
      }
      return outcome(call, answer);
    }
  }

  /** Nothing waits in here: the tasks of one call have ids in a row. */
  function callOf(requests: readonly TaskRequest[], places: readonly Place[], options: SubmitOptions): SubmitCall {
    options.fits?.(places.map(({ job }) => job));
    const now = clock.now();
    const tasks = requests.map((request, index) => {
      const { job, lane } = places[index] as Place;
      depths.checkLimit(job.name, 1);
      return createdTask(request, { id: ids.next(), now, job, lane, settings });
    });
    const jobs = new Map(places.map(({ job }) => [job.name, job.revision]));
    return {
      tasks,
      jobs: [...jobs].map(([name, revision]) => ({ name, revision })),
      key: keyOf(tasks, options, now),
      outbox: [],
      ...(options.audit !== undefined && { audit: [options.audit(tasks.map(({ card }) => card.id))] }),
    };
  }

  function outcome(call: SubmitCall, answer: SubmitAnswer): readonly TaskRecord[] | Promise<readonly TaskRecord[]> {
    switch (answer.kind) {
      case "accepted":
        effects.submitted(
          call.tasks.map(({ card }) => card),
          call.tasks.map(({ runAt }) => runAt),
        );
        return call.tasks.map(recordOf);
      case "repeated":
        return repeated(call.key as CallKey, answer.first);
      case "parent-closed":
        throw new Problem("parent-closed", `Parent task ${answer.parent} does not exist or is final`);
      case "job-changed":
        throw new Problem("job-not-found", `Job ${answer.job} is gone or keeps changing`);
    }
  }

  /**
   * The store looks at the key before anything else, and has the last word. What is refused before it gets there may be
   * a repetition too: then the refusal is not the answer.
   */
  async function firstAnswer(key: CallKey | undefined, refusal: unknown): Promise<readonly TaskRecord[]> {
    const first = key === undefined ? null : await store.read("key", key);
    if (key === undefined || first === null) throw refusal;
    return repeated(key, first);
  }

  async function repeated(key: CallKey, first: IdempotencyKey): Promise<readonly TaskRecord[]> {
    if (first.bodyHash !== key.bodyHash) {
      throw new Problem("idempotency-conflict", `Idempotency key '${key.key}' was used with another body`);
    }
    const accepted = JSON.parse(first.answer) as string[];
    const tasks = await store.read("tasks", { ids: accepted });
    if (tasks.length === accepted.length) return tasks;
    const gone = accepted.length - tasks.length;
    throw new Problem(
      "task-gone",
      `Of ${accepted.length} tasks accepted under key '${key.key}', ${gone} were removed since`,
    );
  }

  return { submit, quiet: () => commits.quiet() };
}

/** Null unless this server knows them all. */
function knownPlaces(lanes: Lanes, requests: readonly TaskRequest[]): readonly Place[] | null {
  const known: Place[] = [];
  for (const request of requests) {
    const place = lanes.known(request);
    if (place === undefined) return null;
    known.push(place);
  }
  return known;
}

function keyOf(tasks: readonly NewTask[], { key }: SubmitOptions, at: number): IdempotencyKey | null {
  return key === undefined ? null : { ...key, answer: JSON.stringify(tasks.map(({ card }) => card.id)), at };
}

function recordOf({ card, payload, runAt }: NewTask): TaskRecord {
  return { card, payload, row: newTaskRow(card.id, card.createdAt, runAt), outcome: null };
}
