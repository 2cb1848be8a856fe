// Taking a task, and making of its payload what the handler works on. Whatever is claimed and cannot be worked on is
// failed or given back at once.

import { failureOf } from "../failure.ts";
import { type Report, reportBody, reports } from "../reports.ts";
import { newKey } from "../system.ts";
import { taskVoice } from "../task-voice.ts";
import type { ClaimedTask, TaskBody } from "./claimed-task.ts";
import { extensionFrom } from "./fields.ts";
import type { Held } from "./held.ts";
import { type Ask, hasStatus, isForbidden } from "./host-api.ts";
import type { Life, ManagerLog } from "./life.ts";
import { backOffMs } from "./patience.ts";
import type { Registry } from "./registry.ts";
import type { Mine } from "./saying.ts";
import type { Settling } from "./settling.ts";
import { pause, type WakeUp } from "./wake-up.ts";

export interface Claiming {
  /** Rejects where the server cannot be asked, or refuses. */
  claim(): Promise<ClaimedTask | null>;
  /** The next task, as long as it takes; undefined when the manager stops. Rejects where nothing was registered. */
  next(pollingMs: number, until?: AbortSignal): Promise<ClaimedTask | undefined>;
}

export interface ClaimingParts {
  readonly ask: Ask;
  readonly life: Life;
  readonly held: Held;
  readonly registry: Registry;
  readonly settling: Settling;
  readonly log: ManagerLog;
  /** Set when there may be a task. */
  readonly ready: WakeUp;
}

type WireTask = TaskBody & { readonly lease_token: string; readonly checkpoint?: unknown };

/** A job that is not ours today may be another's tomorrow. */
const strangeDelayMs = 5_000;

export function claiming({ ask, life, held, registry, settling, log, ready }: ClaimingParts): Claiming {
  /** Keys of claims without a good answer. Asked again under its key, such a claim gives the same task again. */
  const unanswered: { readonly key: string; readonly workerId: string }[] = [];

  async function claim(): Promise<ClaimedTask | null> {
    while (!life.stopping.aborted) {
      const task = await take();
      if (task === null) return null;
      const claimed = await made(task);
      if (claimed !== undefined) return claimed;
    }
    return null;
  }

  async function take(): Promise<WireTask | null> {
    const { workerId } = registry;
    if (workerId === null) throw noWorker();
    const again = unanswered.find((each) => each.workerId === workerId);
    if (again !== undefined) unanswered.splice(unanswered.indexOf(again), 1);
    const claim = again ?? { key: newKey(), workerId };
    try {
      const how = { body: { worker_id: workerId }, headers: { "idempotency-key": claim.key } };
      return (await ask<{ readonly task: WireTask | null }>("POST", "/tasks/claim", how)).body.task;
    } catch (error) {
      // Whatever this answer says: the one before it, which was lost, may have given a task.
      if (!hasStatus(error, 409)) unanswered.push(claim);
      throw error;
    }
  }

  /** Undefined for a task that went back, or failed, since it cannot be worked on. */
  async function made(task: WireTask): Promise<ClaimedTask | undefined> {
    const { id: taskId, job_name: jobName, room_id: roomId, attempt, lease_token: leaseToken } = task;
    const mine = { taskId, leaseToken, task };
    const words = reports((said) => report(mine, said));
    const { progress, log: lines } = taskVoice(words);
    const signal = held.take({ taskId, attempt, workerId: task.worker_id ?? "" }, words.flush);
    const job = registry.jobs.get(jobName);
    if (life.stopping.aborted || job === undefined) {
      const delayMs = job === undefined ? strangeDelayMs : 0;
      await settling.settleSomehow(mine, signal, { type: "released", delayMs, checkpoint: null });
      return undefined;
    }
    try {
      const extension = await extensionFrom(job.extension, task.payload);
      const checkpoint = task.checkpoint ?? undefined;
      return { ...mine, jobName, roomId, attempt, checkpoint, extension, signal, progress, log: lines };
    } catch (error) {
      await settling.settleSomehow(mine, signal, { type: "failed", ...failureOf(error) });
      return undefined;
    }
  }

  async function report({ taskId, leaseToken }: Mine, said: Report): Promise<boolean> {
    try {
      await ask("POST", `/tasks/${taskId}/${said.kind}`, { body: { ...reportBody(said), lease_token: leaseToken } });
      return true;
    } catch (error) {
      log.warn(`The ${said.kind} of task ${taskId} could not be sent`, error);
      return !hasStatus(error, 404, 409);
    }
  }

  async function next(pollingMs: number, until: AbortSignal = life.stopping): Promise<ClaimedTask | undefined> {
    let failures = 0;
    while (!life.stopping.aborted && !until.aborted) {
      // It may be about to be registered again.
      if (registry.workerId === null) await registry.settled();
      const { workerId } = registry;
      if (workerId === null) throw noWorker();
      ready.clear();
      try {
        const task = await claim();
        failures = 0;
        if (task !== null) return task;
        await ready.wait(pollingMs);
      } catch (error) {
        await recovered(error, workerId, failures);
        failures += 1;
      }
    }
    return undefined;
  }

  async function recovered(error: unknown, workerId: string, failures: number): Promise<void> {
    if (isForbidden(error)) return life.fail(error);
    const isGivenUp = hasStatus(error, 404);
    // Registering again says itself why it failed.
    if (isGivenUp) await registry.revive(workerId).catch(() => undefined);
    else log.warn("No task could be claimed", error);
    if (!isGivenUp || failures > 0) await pause(backOffMs(failures, error), life.stopping);
  }

  return { claim, next };
}

function noWorker(): Error {
  return new Error("There is no worker: call createWorker() or register a job first");
}
