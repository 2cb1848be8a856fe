// What a target's answer means for the task. 2xx is its result, 202 a promise of a later callback, 4xx a refusal that
// stands; whatever may pass by itself is a failure that the job's policy may try again.

import type { Failure } from "./task-row.ts";

/** What came of one request. */
export type PushAnswer =
  | {
      readonly type: "answered";
      readonly status: number;
      readonly retryAfter: string | null;
      /** Amazon Lambda says here that the function failed, with status 200. */
      readonly functionError: string | null;
      /** As far as it was read; `whole` says whether that is all. */
      readonly body: string;
      readonly whole: boolean;
    }
  | { readonly type: "failed"; readonly reason: PushFault; readonly message: string };

/** `address`: it leads where this server does not go. */
export type PushFault = "timeout" | "network" | "address";

export type PushVerdict =
  | { readonly type: "completed"; readonly result: string | null }
  | { readonly type: "accepted" }
  | { readonly type: "later"; readonly delayMs: number }
  | { readonly type: "failed"; readonly error: Failure; readonly retryable: boolean };

const faults = {
  timeout: { code: "push_timeout", retryable: true },
  network: { code: "push_failed", retryable: true },
  address: { code: "push_forbidden_address", retryable: false },
} as const satisfies Record<PushFault, { code: string; retryable: boolean }>;

const laterMsMax = 3_600_000;
const excerptChars = 1_000;
/** As deep as a result may be by any door. */
const depthMax = 256;

export function pushVerdict(answer: PushAnswer, now: number): PushVerdict {
  if (answer.type === "failed") {
    const { code, retryable } = faults[answer.reason];
    return { type: "failed", error: { message: answer.message, code, details: null }, retryable };
  }
  const { status, functionError } = answer;
  if (functionError !== null) {
    return failed(answer, "push_failed", `The function failed: ${functionError.slice(0, 100)}`, true);
  }
  if (status === 202) return { type: "accepted" };
  if (status >= 200 && status < 300) return resultOf(answer);
  const passing = status === 408 || status === 425 || status === 429 || status >= 500;
  if (!passing) return failed(answer, "push_rejected", `The target answered with status ${status}`, false);
  const delayMs = retryAfterMs(answer.retryAfter, now);
  if (delayMs !== null) return { type: "later", delayMs };
  return failed(answer, "push_failed", `The target answered with status ${status}`, true);
}

type Answered = Extract<PushAnswer, { type: "answered" }>;

/** An empty body is no result. What is no JSON is no result either, and the same request would get it again. */
function resultOf(answer: Answered): PushVerdict {
  const { body, whole } = answer;
  if (!whole) return failed(answer, "invalid_result", "The target's answer is too large for a result", false);
  if (body.trim() === "") return { type: "completed", result: null };
  try {
    JSON.parse(body);
  } catch {
    return failed(answer, "invalid_result", "The target's answer is not JSON", false);
  }
  if (depthOf(body) > depthMax) {
    return failed(answer, "invalid_result", `The target's answer is nested deeper than ${depthMax}`, false);
  }
  return { type: "completed", result: body };
}

/** Of valid JSON. Brackets inside of texts are none. */
function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

function failed({ status, body }: Answered, code: string, message: string, retryable: boolean): PushVerdict {
  const details = JSON.stringify({ status, body: body.replaceAll("\u0000", "").slice(0, excerptChars) });
  return { type: "failed", error: { message, code, details }, retryable };
}

/** Seconds or a date; at most an hour, at least a second: a target that is overrun is not asked again at once. */
function retryAfterMs(text: string | null, now: number): number | null {
  if (text === null) return null;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 1_000), laterMsMax);
}
