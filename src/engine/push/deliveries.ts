// One request for each task in hand. While it is under way the task's short lease is prolonged, so that what a dead server
// had sent is sent again soon; a target that answers 202 has until its callback is due, whatever becomes of this server.

import type { Hold } from "../../core/internal-job.ts";
import { Problem } from "../../core/problem.ts";
import { type PushSpec, parsePush } from "../../core/push.ts";
import { type PushVerdict, pushVerdict } from "../../core/push-answer.ts";
import type { Pusher } from "../../ports/pusher.ts";
import type { ClaimedTask } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { InHand } from "../executors/in-hand.ts";
import type { Surroundings } from "../surroundings.ts";
import { pushRequest } from "./push-request.ts";

export interface DeliveriesParts {
  readonly operations: Pick<Operations, "catalog" | "extend" | "leaseToken" | "pushSecret" | "targets">;
  readonly pusher: Pusher;
  /** Where the world finds this server. */
  readonly publicUrl: string;
  hands(): InHand;
}

export interface Deliveries {
  /** Returns when the request has its answer and the task knows what it means. */
  deliver(task: ClaimedTask): Promise<void>;
  giveBack(hold: Hold, why: { readonly reason: string; readonly delayMs?: number }): Promise<void>;
  abort(hold: Hold): void;
}

const retryMs = 1_000;

export function deliveries(
  around: Surroundings,
  { operations, pusher, publicUrl, hands }: DeliveriesParts,
): Deliveries {
  const { clock, log, telemetry, settings } = around;
  const { catalog } = operations;
  const leaseMs = settings.profiles.push.ownLeaseMs as number;
  const requests = new Map<string, AbortController>();

  async function deliver(task: ClaimedTask): Promise<void> {
    const hold = hands().add(task);
    const lane = catalog.lane(task.card.lane);
    const push = catalog.job(lane?.job ?? "")?.spec.push ?? null;
    if (lane === undefined || push === null) return giveBack(hold, { reason: "push_changed" });
    const spec = parsePush(push);
    const { job, queue } = lane;
    const request = pushRequest({
      ...{ hold, task, job, queue, push: spec, publicUrl, version: settings.node.version, now: clock.now() },
      secret: spec.secret ?? operations.pushSecret(job),
      leaseToken: operations.leaseToken(hold.task, hold),
    });
    const under = new AbortController();
    requests.set(keyOf(hold), under);
    const startedAt = clock.now();
    const silence = keepLease(hold);
    const answer = await pusher.post(request, under.signal);
    silence();
    requests.delete(keyOf(hold));
    const verdict = under.signal.aborted ? null : pushVerdict(answer, clock.now());
    telemetry.pushed(verdict?.type ?? "aborted", clock.now() - startedAt);
    if (verdict !== null) operations.targets.note(job, spec.url, verdict);
    if (verdict === null) hands().drop(hold);
    else await conclude(hold, spec, verdict);
  }

  async function conclude(hold: Hold, spec: PushSpec, verdict: PushVerdict): Promise<void> {
    switch (verdict.type) {
      case "completed":
      case "failed":
        hands().reports.ended(hold, verdict);
        return;
      case "later":
        await giveBack(hold, { reason: "push_retry_after", delayMs: verdict.delayMs });
        return;
      case "accepted":
        await extend(hold, spec.callbackMs);
        hands().drop(hold);
    }
  }

  async function giveBack(hold: Hold, why: { readonly reason: string; readonly delayMs?: number }): Promise<void> {
    await hands().settle(hold, { type: "release", ...why });
    hands().drop(hold);
  }

  /** Tried until it is written, or until the attempt is somebody else's, or over: a callback may have been faster. */
  async function extend(hold: Hold, ms: number): Promise<void> {
    for (;;) {
      try {
        await operations.extend(hold.task, hold, ms);
        return;
      } catch (error) {
        if (!(error instanceof Problem && error.retry) || error.code === "stopping") return;
        await new Promise<void>((resolve) => clock.alarm(clock.now() + retryMs, resolve));
      }
    }
  }

  function keepLease(hold: Hold): () => void {
    let silence = clock.alarm(clock.now() + leaseMs / 3, beat);
    let over = false;
    async function beat(): Promise<void> {
      await operations.extend(hold.task, hold, leaseMs).catch((error: unknown) => {
        // Not ours any more: a message that said so was lost.
        if (error instanceof Problem && !error.retry) void hands().look();
        else log.warn("a lease could not be prolonged", { task: hold.task, error });
      });
      if (!over) silence = clock.alarm(clock.now() + leaseMs / 3, beat);
    }
    return () => {
      over = true;
      silence();
    };
  }

  return { deliver, giveBack, abort: (hold) => requests.get(keyOf(hold))?.abort() };
}

function keyOf({ task, attempt }: Hold): string {
  return `${task} ${attempt}`;
}
