// What a target is sent: the task, the proof that the attempt is its own, where to tell how it ended, and a signature.

import type { Hold } from "../../core/internal-job.ts";
import { type PushSpec, pushSignature } from "../../core/push.ts";
import type { PushRequest } from "../../ports/pusher.ts";
import type { ClaimedTask } from "../../ports/records.ts";

export interface PushLetter {
  readonly hold: Hold;
  readonly task: ClaimedTask;
  readonly job: string;
  readonly queue: string;
  readonly push: PushSpec;
  readonly secret: string;
  readonly leaseToken: string;
  /** Where the world finds this server, without a slash at the end. */
  readonly publicUrl: string;
  readonly version: string;
  readonly now: number;
}

export function pushRequest(letter: PushLetter): PushRequest {
  const { hold, push, secret, version, now } = letter;
  const body = bodyOf(letter);
  const timestamp = Math.floor(now / 1_000);
  return {
    url: push.url,
    body,
    timeoutMs: push.timeoutMs,
    headers: {
      ...push.headers,
      "content-type": "application/json",
      "user-agent": `Leadhand/${version}`,
      "idempotency-key": `${hold.task}-${hold.attempt}`,
      "leadhand-task": hold.task,
      "leadhand-attempt": String(hold.attempt),
      "leadhand-timestamp": String(timestamp),
      "leadhand-signature": pushSignature(secret, timestamp, body),
    },
  };
}

/** Payload and checkpoint travel as the texts they came in. */
function bodyOf({ hold, task, job, queue, push, leaseToken, publicUrl, now }: PushLetter): string {
  const { card, row, payload } = task;
  const said = JSON.stringify({
    ...{ id: card.id, job, room: card.room, queue, attempt: row.attempt, priority: card.priority },
    submitted_at: isoTime(card.createdAt),
  });
  const around = JSON.stringify({
    lease_token: leaseToken,
    // Of a target that answers 202: until then it may call back.
    lease_until: isoTime(now + push.timeoutMs + push.callbackMs),
    callback_url: `${publicUrl}/v1/tasks/${hold.task}/callback?attempt=${hold.attempt}`,
  });
  const whole = `${said.slice(0, -1)},"payload":${payload},"checkpoint":${row.checkpoint ?? "null"}}`;
  return `{"task":${whole},${around.slice(1)}`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
