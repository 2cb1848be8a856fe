import { createHash } from "node:crypto";
import type { Static } from "typebox";
import type { Principal } from "../../../core/access.ts";
import { badField, Problem } from "../../../core/problem.ts";
import type { RequestNote } from "../../../core/request-notes.ts";
import type { Conclusion } from "../../../engine/concluding.ts";
import type { ToldEnding } from "../../../engine/desks/bulk-desk.ts";
import type { Desks } from "../../../engine/desks/desks.ts";
import { manyMemberTexts } from "../../../protocol/member-text.ts";
import type { TaskCount, TasksSettle } from "../../../protocol/rest/bulk-bodies.ts";
import type { bulkRoutes } from "../../../protocol/rest/bulk-routes.ts";
import { type Handlers, json } from "../call.ts";
import { deferWords, givenText } from "../told-words.ts";

type Result = Static<typeof TasksSettle>["results"][number];
/** Of the members that are passed on as they came. */
type Texts = readonly (string | undefined)[];

export function bulkHandlers({ bulk, counts }: Desks): Handlers<keyof typeof bulkRoutes> {
  return {
    async settleTasks({ who, body, text }) {
      const texts = manyMemberTexts(text, ["results"], ["result", "error_details", "checkpoint"]);
      const told = body.results.map((result, nth) => endingOf(result, nth, texts[nth] ?? [], text));
      const answers = await bulk.settle(who, body.worker_id.toLowerCase(), told);
      const items = body.results.map(({ id }, nth) => {
        const problem = answers[nth] ?? null;
        return { id: id.toLowerCase(), ok: problem === null, ...(problem !== null && { problem: problem.toBody() }) };
      });
      return json(200, { items });
    },
    async countTask({ who, params, headers, body, text }) {
      const note = noteOf(who, headers["idempotency-key"], text);
      const { state, children } = await counts.count(who, params.task_id, body.marks.map(markOf), note);
      const { total = null, done = 0, failed = 0 } = children ?? {};
      return json(200, { status: state, total, done, failed });
    },
  };
}

/** Keys of different users do not meet. */
function noteOf({ user }: Principal, key: string | undefined, text: string): RequestNote | undefined {
  return key === undefined ? undefined : { key: digest(JSON.stringify([user, key])), body: digest(text) };
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest().subarray(0, 16);
}

function markOf({ index, status, error }: Static<typeof TaskCount>["marks"][number]) {
  return { index: index ?? null, failed: status === "failed", error: error?.message ?? null };
}

/** What is wrong with one result is told with its answer: the others are not to blame. */
function endingOf(result: Result, nth: number, texts: Texts, text: string): ToldEnding {
  try {
    const { id, attempt } = result;
    return { task: id.toLowerCase(), attempt, move: moveOf(result, nth, texts, text) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function moveOf(words: Result, nth: number, [result, details, checkpoint]: Texts, text: string): Conclusion {
  const { error, error_code: code = null, retryable = true, delay_seconds: delay = 0, reason = "released" } = words;
  switch (words.status) {
    case "completed":
      return { type: "complete", result: givenText(result), note: error || null };
    case "failed":
      return { type: "fail", error: { message: error ?? "", code, details: givenText(details) }, retryable };
    case "released": {
      const kept = checkpoint === undefined ? {} : { checkpoint: givenText(checkpoint) };
      return { type: "release", reason, delayMs: Math.round(1_000 * delay), ...kept };
    }
    case "deferred":
      if (words.total === undefined && words.messages === undefined)
        throw badField(`/results/${nth}/total`, "is missing");
      return { type: "defer", ...deferWords(words, text, ["results", nth]) };
  }
}
